package session

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
)

// The cluster that Rancher runs in serves Clusters; others do not.
func TestServesRancher_resources_onlyClustersCount(t *testing.T) {
	for resources, want := range map[string]bool{`[{"name":"clusters","kind":"Cluster"}]`: true, `[]`: false, "": false} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/apis/provisioning.cattle.io/v1" || resources == "" {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"provisioning.cattle.io/v1","resources":%s}`, resources)
		}))
		if got := (&apiSource{api: audit.APIOnly{Config: &rest.Config{Host: server.URL}}}).servesRancher(t.Context()); got != want {
			t.Errorf("%s: %t", resources, got)
		}
		server.Close()
	}
}
