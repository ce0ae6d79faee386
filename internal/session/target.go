package session

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Kind says what keeps a cluster's configuration, and thereby where it is read.
type Kind string

const (
	// RKE2 is a cluster that Rancher provisions by RKE2.
	RKE2 Kind = "rke2"
	// RKE is a cluster for which Rancher runs rke.
	RKE Kind = "rke"
	// ClusterFile is a cluster that somebody made with rke and a cluster.yml.
	ClusterFile Kind = "cluster.yml"
	// APIOnly is any cluster as its API shows it. It can be audited, and no more.
	APIOnly Kind = "kubernetes"
)

// Target is one cluster, and the way to it.
type Target struct {
	Kind Kind
	// Namespace and Name are those of Rancher's Cluster object. Of RKE the name is the
	// id (c-xxxxx) or the displayed one, without a namespace; of APIOnly it is for people.
	Namespace, Name string
	// File is the cluster.yml.
	File string
	// Server is the API server that Rancher runs in; without Rancher the cluster's own.
	Server Server
	// Downstream is the cluster's own API server, where somebody names it; the zero
	// value: through Rancher.
	Downstream Server
	// RequestTimeout bounds one request to either.
	RequestTimeout time.Duration
}

// Server is how an API server is reached. The zero value names none.
type Server struct {
	// Config is a configuration that was made already: a pod's own, a controller's.
	Config *rest.Config
	// Load finds one when the server is asked for, such as in a kubeconfig. It is used
	// where Config is nil.
	Load func() (*rest.Config, error)
	// Context is the name by which people know it in their kubeconfig; nil: it has none.
	Context func() string
}

// Named says whether it is a server at all.
func (s Server) Named() bool { return s.Config != nil || s.Load != nil }

// config is a copy of the configuration, to be changed by whoever asked.
func (s Server) config() (*rest.Config, error) {
	switch {
	case s.Config != nil:
		return rest.CopyConfig(s.Config), nil
	case s.Load != nil:
		return s.Load()
	}
	return nil, fault.AsUsage(errors.New("no API server is named"))
}

// check refuses a bound that would silently become none.
func (t Target) check() error {
	if t.RequestTimeout <= 0 {
		return fault.AsUsage(fmt.Errorf("flag --request-timeout: %s, wanted more than 0", t.RequestTimeout))
	}
	return nil
}

// Validate refuses options that no cluster could make right.
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
