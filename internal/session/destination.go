package session

import (
	"strings"

	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Proposal is what somebody is asked to approve, and where it would be written.
type Proposal struct {
	runner.Proposal
	Cluster string        // its name
	To      []Destination // none where nobody knows
}

// Destination is a place that a run writes to.
type Destination struct {
	File    string // a cluster.yml; "": an API server
	Context string // the name in a kubeconfig that the server was found by; "": none
	Server  string // its address
}

// writesTo are the servers of a target: Rancher's, or without Rancher the cluster's own,
// and the cluster's own where it is not reached through that one.
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
	if own != nil && !below(fault.Server(own.Host), first.Server) {
		second := Destination{Server: fault.Server(own.Host)}
		if t.Downstream.Context != nil {
			second.Context = t.Downstream.Context()
		}
		all = append(all, second)
	}
	return all
}

// below says whether an address is a server's, or leads through it.
func below(address, server string) bool {
	server = strings.TrimSuffix(server, "/")
	return server != "" && strings.HasPrefix(address+"/", server+"/")
}

// hostOf is the address of a server without what may be secret in it; "": unknown.
func hostOf(s Server) string {
	config, err := s.config()
	if err != nil {
		return ""
	}
	return fault.Server(config.Host)
}
