package session

import (
	"strings"

	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Proposal is a plan to approve, with the places that it would be written to.
type Proposal struct {
	runner.Proposal
	Cluster string        // name of the cluster
	To      []Destination // empty if unknown
}

// Destination is a place that a run writes to.
type Destination struct {
	File    string // a cluster.yml, or empty for an API server
	Context string // the kubeconfig context of the server, or empty
	Server  string // address of the API server
}

// writesTo returns the places that a run of a target writes to: cluster.yml, Rancher's server
// or the cluster's own, and the cluster's own server if it is not reached through Rancher.
func (t Target) writesTo(own *rest.Config) []Destination {
	var all []Destination
	if t.Kind == ClusterFile {
		all = append(all, Destination{File: t.File})
	}
	first := Destination{Server: hostOf(t.Server)}
	if t.Server.Context != nil {
		first.Context = t.Server.Context()
	}
	if first.Server != "" {
		all = append(all, first)
	}
	if own != nil && !isBelow(fault.Server(own.Host), first.Server) {
		second := Destination{Server: fault.Server(own.Host)}
		if t.Downstream.Context != nil {
			second.Context = t.Downstream.Context()
		}
		all = append(all, second)
	}
	return all
}

// isBelow reports whether an address belongs to a server or leads through it.
func isBelow(address, server string) bool {
	server = strings.TrimSuffix(server, "/")
	return server != "" && strings.HasPrefix(address+"/", server+"/")
}

// hostOf returns the address of a server without secrets, or empty if unknown.
func hostOf(s Server) string {
	config, err := s.config()
	if err != nil {
		return ""
	}
	return fault.Server(config.Host)
}
