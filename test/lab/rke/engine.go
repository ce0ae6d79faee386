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

// Engine is one rke binary at work on one cluster.
type Engine struct {
	Release Release
	// ClusterFile is cluster.yml; state and kubeconfig are beside it.
	ClusterFile string
	// Dial reaches a node, once it is known that a key for it exists.
	Dial func(n Node) (docker.Host, error)
	// Kube is the cluster's API; nil is the one of the kubeconfig beside cluster.yml.
	Kube func() (kubernetes.Interface, error)
	// Bundle makes the certificates of a cluster without a state. Nil refuses one.
	Bundle func() (map[string]Certificate, error)
	// Retry is the pause between attempts; zero is rke's own of 5 s.
	Retry time.Duration
	// HealthAttempts is how often a component is asked for its health; zero is
	// rke's own 10.
	HealthAttempts int
	UpdateOnly     bool
	// Planes limits Up in a cluster that exists; zero is all.
	Planes Planes
	Clock  clock.Clock
	Log    *Log
}

// Planes are the halves of Up: Rancher has rke work on the control plane, and
// brings the plans to the workers itself, afterwards (rancher/rancher:pkg/
// controllers/management/rkeworkerupgrader/upgrade.go@v2.8.5).
type Planes string

// The halves.
const (
	ControlPlanes Planes = "control planes"
	Workers       Planes = "workers"
)

// attempts is how often rke looks, and healthAttempts how often it asks a
// component for its health (rancher/rke:k8s/node.go, services/healthcheck.go@v1.5.10).
const (
	attempts       = 5
	healthAttempts = 10
)

// workers is how many hosts rke works on where nothing limits it.
const workers = 50

// wait is false when ctx ended first.
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

// Init is the first half of `rke up`, and all of `rke up --init`: it writes the
// desired state (rancher/rke:cmd/common.go ClusterInit@v1.5.10).
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
