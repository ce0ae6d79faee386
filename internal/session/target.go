package session

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Kind names the owner of a cluster's configuration, and so where it is read.
type Kind string

const (
	// RKE2 is a cluster that Rancher provisions with RKE2.
	RKE2 Kind = "rke2"
	// RKE is a cluster for which Rancher runs rke.
	RKE Kind = "rke"
	// ClusterFile is a cluster made with rke and a cluster.yml.
	ClusterFile Kind = "cluster.yml"
	// APIOnly is any cluster, seen through its API. It can only be audited.
	APIOnly Kind = "kubernetes"
)

// Target names one cluster and the servers that lead to it.
type Target struct {
	Kind Kind
	// Namespace and Name identify Rancher's Cluster object. For RKE the name is the ID
	// (c-xxxxx) or the displayed name, without a namespace. For APIOnly it is only displayed.
	Namespace, Name string
	// File is the path of cluster.yml.
	File string
	// Server is the API server that Rancher runs in, or the cluster's own without Rancher.
	Server Server
	// Downstream is the cluster's own API server. If zero, it is reached through Rancher.
	Downstream Server
	// RequestTimeout limits one request to either server.
	RequestTimeout time.Duration
}

// Server describes the connection to an API server. The zero value names none.
type Server struct {
	// Config is a complete configuration, such as a pod's or a controller's.
	Config *rest.Config
	// Load returns a configuration on first use, for example from a kubeconfig. It is used if
	// Config is nil.
	Load func() (*rest.Config, error)
	// Context returns the name of the kubeconfig context. It may be nil.
	Context func() string
}

// Named reports whether a server is set.
func (s Server) Named() bool { return s.Config != nil || s.Load != nil }

// config returns a copy of the configuration that the caller may change.
func (s Server) config() (*rest.Config, error) {
	switch {
	case s.Config != nil:
		return rest.CopyConfig(s.Config), nil
	case s.Load != nil:
		return s.Load()
	}
	return nil, fault.AsUsage(errors.New("no API server is named"))
}

// check refuses a timeout that would mean no limit.
func (t Target) check() error {
	if t.RequestTimeout <= 0 {
		return fault.AsUsage(fmt.Errorf("flag --request-timeout: %s, wanted more than 0", t.RequestTimeout))
	}
	return nil
}

// Validate returns an error if the options are invalid for every cluster.
func (t Target) Validate(o Options) error {
	if err := t.check(); err != nil {
		return err
	}
	switch t.Kind {
	case RKE2:
		return o.rke2(t).Validate()
	case RKE, ClusterFile:
		return o.OfRKE(t).Validate()
	case APIOnly:
	}
	return nil
}
