package session

import (
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
)

// A run decides by current Machines: the cache of an API server may show those from before its own
// write.
func TestConnectRKE2_run_noCache(t *testing.T) {
	server := Server{Config: &rest.Config{Host: "https://rancher.example"}}
	target := Target{Kind: RKE2, Namespace: "fleet-default", Name: "demo", Server: server, Downstream: server, RequestTimeout: time.Minute}
	for may, want := range map[Access]bool{ReadOnly: true, ReadWrite: false} {
		clients, _, err := connectRKE2(t.Context(), target, serverDialer{time.Minute, may, clock.RealClock{}})
		if err != nil || clients.FromCache != want || clients.Known == nil {
			t.Errorf("access %v: from the cache %t, %v", may, clients.FromCache, err)
		}
	}
}
