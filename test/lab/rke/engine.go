package rke

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/test/lab/docker"
)

// Engine is one rke binary that works on one cluster.
type Engine struct {
	Release Release
	// ClusterFile is the path of cluster.yml; state and kubeconfig are next to it.
	ClusterFile string
	// Dial connects to a node, once a key for it is known to exist.
	Dial func(n Node) (docker.Host, error)
	// Kube returns a client of the cluster's API. If it is nil, the kubeconfig next to
	// cluster.yml is used.
	Kube func() (kubernetes.Interface, error)
	// Bundle makes the certificates of a cluster without a state. If it is nil, such a cluster
	// is refused.
	Bundle func() (map[string]Certificate, error)
	// Retry is the pause between attempts; zero means rke's own 5 s.
	Retry time.Duration
	// HealthAttempts is the number of health checks of a component; zero means rke's own 10.
	HealthAttempts int
	UpdateOnly     bool
	// Planes limits Up to a part of an existing cluster; empty means all.
	Planes Planes
	Clock  clock.Clock
	Log    *Log
}

// Planes is one half of Up. Rancher lets rke work on the control plane, and applies the plans of
// the workers itself, afterwards
// (rancher/rancher:pkg/controllers/management/rkeworkerupgrader/upgrade.go@v2.8.5).
type Planes string

// The values of Planes.
const (
	ControlPlanes Planes = "control planes"
	Workers       Planes = "workers"
)

// attempts bounds rke's checks of a Node, and healthAttempts those of a component's health
// (rancher/rke:k8s/node.go, services/healthcheck.go@v1.5.10).
const (
	attempts       = 5
	healthAttempts = 10
)

// workers is the number of hosts that rke works on at once without a limit.
const workers = 50

// wait returns false if ctx ended first.
func (e *Engine) wait(ctx context.Context) bool {
	pause := e.Retry
	if pause == 0 {
		pause = 5 * time.Second
	}
	timer := e.Clock.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C():
		return true
	}
}

func (e *Engine) kube() (kubernetes.Interface, error) {
	if e.Kube != nil {
		return e.Kube()
	}
	config, err := clientcmd.BuildConfigFromFlags("", KubeconfigFile(e.ClusterFile))
	if err != nil {
		return nil, fmt.Errorf("Failed to initialize new kubernetes client: %w", err) //nolint:staticcheck // rke's words
	}
	config.Timeout = 30 * time.Second
	config.QPS = -1
	return kubernetes.NewForConfig(config)
}

// Init is the first half of `rke up`, and all of `rke up --init`: it writes the desired state
// (rancher/rke:cmd/common.go ClusterInit@v1.5.10).
func (e *Engine) Init(c Config) error {
	e.Log.infof("Initiating Kubernetes cluster")
	state, err := readState(e.ClusterFile)
	if err != nil {
		state = &FullState{}
	}
	cluster, err := e.Release.Resolve(c)
	if err != nil {
		return err
	}
	if state.Desired.Certificates == nil {
		if e.Bundle == nil {
			return errors.New("the lab's rke has no state file to take certificates from, and makes none: with the real one this would be a new cluster")
		}
		if state.Desired.Certificates, err = e.Bundle(); err != nil {
			return err
		}
	}
	state.Desired.Config = &cluster.Config
	return state.write(e.ClusterFile, e.Log)
}
