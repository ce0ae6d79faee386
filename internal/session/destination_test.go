package session

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"
)

// The approver sees each server that a run writes to once, without secrets.
func TestWritesTo(t *testing.T) {
	at := func(host, context string) Server {
		s := Server{Load: func() (*rest.Config, error) { return &rest.Config{Host: host}, nil }}
		if context != "" {
			s.Context = func() string { return context }
		}
		return s
	}
	const rancher, own = "https://admin:secret@rancher.example", "https://10.0.0.1:6443"
	for name, tt := range map[string]struct {
		target Target
		own    string
		want   []Destination
	}{
		"through Rancher": {Target{Kind: RKE2, Server: at(rancher, "prod")}, "https://rancher.example/k8s/clusters/c-m-x", []Destination{{Context: "prod", Server: "https://rancher.example"}}},
		"past Rancher": {Target{Kind: RKE, Server: at(rancher, "prod"), Downstream: at(own, "own")}, own,
			[]Destination{{Context: "prod", Server: "https://rancher.example"}, {Context: "own", Server: own}}},
		"a like address": {Target{Kind: RKE2, Server: at("https://10.0.0.1", "")}, "https://10.0.0.10", []Destination{{Server: "https://10.0.0.1"}, {Server: "https://10.0.0.10"}}},
		"a file":         {Target{Kind: ClusterFile, File: "cluster.yml", Server: at(own, "local")}, own, []Destination{{File: "cluster.yml"}, {Context: "local", Server: own}}},
		"in a pod":       {Target{Kind: RKE2, Server: Server{Config: &rest.Config{Host: own}}}, "", []Destination{{Server: own}}},
		"not found":      {Target{Kind: RKE2, Server: Server{Load: func() (*rest.Config, error) { return nil, errors.New("no file") }}}, own, []Destination{{Server: own}}},
	} {
		var config *rest.Config
		if tt.own != "" {
			config = &rest.Config{Host: tt.own}
		}
		if d := cmp.Diff(tt.want, tt.target.writesTo(config)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
