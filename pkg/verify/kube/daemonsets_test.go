package kube

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
)

func TestDaemonSets_severalReaders_listedOnce(t *testing.T) {
	const ccm = `{"metadata":{"namespace":"kube-system","name":"ccm"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"spec":{"containers":[{"name":"c","command":["aws-cloud-controller-manager"]}]}}}}`
	const other = `{"metadata":{"namespace":"web","name":"other"},"spec":{"template":{"spec":{"containers":[{"name":"c","command":["kube-controller-manager"]}]}}}}`
	const neither = `{"metadata":{"namespace":"web","name":"agent"},"spec":{"template":{"spec":{"containers":[{"name":"c"}]}}}}`
	var mu sync.Mutex
	listed := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path != "/apis/apps/v1/daemonsets" {
			http.NotFound(w, r)
			return
		}
		listed++
		fmt.Fprintf(w, `{"kind":"DaemonSetList","apiVersion":"apps/v1","items":[%s,%s,%s]}`, ccm, other, neither)
	}))
	defer server.Close()
	r, err := New(&rest.Config{Host: server.URL, QPS: -1}, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	sets := r.daemonSets(t.Context())
	if got := sets().ccms.Value; len(got) != 1 || got[0].Name != "ccm" {
		t.Errorf("%+v, want the CCM's alone", got)
	}
	if got := sets().others.Value; len(got) != 1 || got[0].Name != "other" {
		t.Errorf("%+v, want the other manager's alone", got)
	}
	if listed = 0; len(ReadManagers(t.Context(), r).DaemonSets.Value) != 1 || listed != 1 {
		t.Errorf("listed %d times by one look", listed)
	}
}
