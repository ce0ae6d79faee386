package kube

import (
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/testing/standin"
)

// Of 150,000 pods the owners are read page by page. Only the static pods are read in full, by their
// label. The memory does not grow with the number of pods.
func TestManyPodsCostTheirMetadata(t *testing.T) {
	const nodes, each, slack = 5000, 29, 32 << 20
	pods := &standin.ManyPods{Nodes: nodes, Each: each}
	server := httptest.NewServer(pods)
	defer server.Close()
	r, err := New(&rest.Config{Host: server.URL, QPS: -1}, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	r.Timeout = time.Minute
	inUse := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := inUse()
	began := time.Now()
	got := r.loosePods(t.Context())
	took := time.Since(began)
	if !got.OK() || len(got.Value) != 0 {
		t.Fatalf("%d pods, %v", len(got.Value), got.Err)
	}
	if grown := int64(inUse()) - int64(before); grown > slack {
		t.Errorf("%d MB more in use", grown>>20)
	}
	asked, bytes := pods.Asked()
	total := nodes * (1 + each)
	t.Logf("%d pods: requests %v, bytes %v, %s with the stand-in's own work", total, asked, bytes, took.Round(time.Millisecond))
	if asked["metadata"] != total/DefaultPageSize || asked["pods"] != nodes/DefaultPageSize || asked["other"] != 0 {
		t.Errorf("asked %v, want a page of metadata for 500 pods, and one of kube-proxies for 500 nodes", asked)
	}
}
