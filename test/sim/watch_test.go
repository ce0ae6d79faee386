package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A watch sends what came after its version. One that begins too early ends with an error, as on a
// real API server.
func TestServeHTTP_watch_sinceAVersion(t *testing.T) {
	start := time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
	w := Setup{Name: "a", ID: "c-m-1", Start: start, Clock: func() time.Time { return start }}.RKE2()
	w.ServeWatches()
	lease := func(holder int) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.down.put(leasesResource, object{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": object{"namespace": "kube-system", "name": "mine"},
			"spec": object{"holderIdentity": fmt.Sprint(holder)}}, start)
	}
	server := httptest.NewServer(w)
	defer server.Close()
	lease(0)
	first := w.down.revision
	for i := range maxChanges {
		lease(i + 1)
	}
	for name, tt := range map[string]struct {
		since int64
		want  string
	}{
		"too early": {first, "ERROR"},
		"now":       {w.down.revision, "MODIFIED"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("%s/apis/coordination.k8s.io/v1/namespaces/kube-system/leases?watch=true&fieldSelector=metadata.name%%3Dmine&resourceVersion=%d", server.URL, tt.since), nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		lease(-1 - len(name))
		var event struct {
			Type   string
			Object struct{ Code int }
		}
		if err := json.NewDecoder(res.Body).Decode(&event); err != nil || event.Type != tt.want || (event.Object.Code == http.StatusGone) != (tt.want == "ERROR") {
			t.Errorf("%s: %+v, %v, want %s", name, event, err, tt.want)
		}
		_ = res.Body.Close()
	}
}
