package rke

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/awsmigrate/awsmigrate/test/lab/docker"
)

// run is one `rke up`.
type run struct {
	*Engine
	cluster  *Cluster
	state    *FullState
	upgrade  bool // whether the cluster exists
	inactive []*Host
	hosts    map[string]docker.Host // by address

	maxControl, maxWorker int
}

// Up is the second half of `rke up`, after Init (rancher/rke:cmd/up.go ClusterUp@v1.5.10).
func (e *Engine) Up(ctx context.Context) error {
	state, err := readState(e.ClusterFile)
	if err != nil {
		return err
	}
	cluster, err := e.Release.Resolve(state.Desired.Config.clone())
	if err != nil {
		return err
	}
	r := &run{Engine: e, cluster: cluster, state: state, upgrade: state.Current.Config != nil, hosts: map[string]docker.Host{}}
	e.Log.infof("Building Kubernetes cluster")
	if err := r.tunnel(ctx); err != nil {
		return err
	}
	if r.upgrade { // an invalid recorded configuration cannot be loaded either
		current, err := e.Release.Resolve(*state.Current.Config)
		if err != nil {
			return err
		}
		if err := r.sameNodes(current); err != nil {
			return err
		}
	}
	for _, step := range r.steps() {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if err := r.allIncluded(); err != nil {
		return err
	}
	e.Log.infof("Finished building Kubernetes cluster successfully")
	return nil
}

// steps returns the steps of the requested halves.
func (r *run) steps() []func(context.Context) error {
	switch {
	case r.Planes == ControlPlanes && r.upgrade:
		return []func(context.Context) error{r.setUpHosts, r.limits, r.controlPlane, r.record}
	case r.Planes == Workers && r.upgrade:
		return []func(context.Context) error{r.limits, r.workerPlane, r.labels}
	}
	return []func(context.Context) error{r.setUpHosts, r.limits, r.controlPlane, r.record, r.workerPlane, r.labels}
}

// tunnel drops unreachable hosts.
func (r *run) tunnel(ctx context.Context) error {
	var mu sync.Mutex
	each(r.cluster.Hosts, workers, func(h *Host) bool {
		r.Log.infof("[dialer] Setup tunnel for host [%s]", h.Address)
		host, err := r.Dial(h.Node)
		if err == nil {
			err = host.Ping(ctx)
		}
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			r.Log.warnf("Failed to set up SSH tunneling for host [%s]: Can't retrieve Docker Info: %v", h.Address, err)
			r.inactive = append(r.inactive, h)
			return true
		}
		r.hosts[h.Address] = host
		return true
	})
	for _, h := range r.inactive {
		r.Log.warnf("Removing host [%s] from node lists", h.Address)
		r.cluster.drop(h)
	}
	return r.cluster.validateCount()
}

// sameNodes refuses added and removed nodes, which the stand-in omits.
func (r *run) sameNodes(current *Cluster) error {
	known := map[string]bool{}
	for _, n := range current.Nodes {
		known[n.Address] = true
	}
	for _, n := range r.cluster.Nodes {
		// The state lacks a node that an earlier run could not reach.
		delete(known, n.Address)
	}
	for _, h := range r.inactive {
		delete(known, h.Address)
	}
	for address := range known {
		return fmt.Errorf("the lab's rke removes no nodes; %s is in the state and not in %s", address, r.ClusterFile)
	}
	return nil
}

// setUpHosts writes the kubeconfig and the cloud config to every node at once, before any
// component restarts.
func (r *run) setUpHosts(ctx context.Context) error {
	r.Log.infof("[certificates] Deploying kubernetes certificates to Cluster nodes")
	if err := r.adminConfig(); err != nil {
		return err
	}
	r.Log.infof("[certificates] Successfully deployed kubernetes certificates to Cluster nodes")
	if r.cluster.CloudProvider.Name == "" {
		return nil
	}
	err := failures(r.cluster.Hosts, workers, func(h *Host) error {
		return r.hosts[h.Address].WriteFile(ctx, cloudConfigFile, []byte(r.cluster.CloudConfig))
	})
	if err != nil {
		return err
	}
	r.Log.infof("[%s] Successfully deployed kubernetes cloud config to Cluster nodes", cloudConfigFile)
	r.Log.infof("[reconcile] Reconciling cluster state")
	r.Log.infof("[reconcile] Reconciled cluster state successfully")
	return nil
}

// adminConfig points kube_config_cluster.yml to the first control plane whose API answers
// (rancher/rke:cluster/cluster.go rebuildLocalAdminConfig@v1.5.10).
func (r *run) adminConfig() error {
	r.Log.infof("[reconcile] Rebuilding and updating local kube config")
	found := false
	for _, h := range r.cluster.controlPlanes() {
		text := adminKubeconfig("https://"+h.Address+":6443", r.cluster.ClusterName, r.state.Desired.Certificates)
		file := KubeconfigFile(r.ClusterFile)
		r.Log.infof("Successfully Deployed local admin kubeconfig at [%s]", file)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return fmt.Errorf("Failed to redeploy local admin config with new host: %w", err) //nolint:staticcheck // rke's words
		}
		client, err := r.kube()
		if err != nil {
			return err
		}
		if _, err := client.Discovery().ServerVersion(); err == nil {
			r.Log.infof("[reconcile] host [%s] is a control plane node with reachable Kubernetes API endpoint in the cluster", h.Address)
			found = true
			break
		}
		r.Log.warnf("[reconcile] host [%s] is a control plane node without reachable Kubernetes API endpoint in the cluster", h.Address)
	}
	if !found {
		r.Log.warnf("[reconcile] no control plane node with reachable Kubernetes API endpoint in the cluster found")
	}
	return nil
}

// record writes "current" to the file and to the cluster: the control plane is done, the
// workers are not.
func (r *run) record(ctx context.Context) error {
	r.Log.infof("[authz] Creating rke-job-deployer ServiceAccount")
	config := r.cluster.clone()
	r.state.Current = State{Config: &config, Certificates: r.state.Desired.Certificates, Encryption: r.state.Desired.Encryption}
	if err := r.state.write(r.ClusterFile, r.Log); err != nil {
		return err
	}
	client, err := r.kube()
	if err != nil {
		return err
	}
	r.Log.infof("[state] Saving full cluster state to Kubernetes")
	return r.state.save(ctx, client, r.Release)
}

func (r *run) allIncluded() error {
	var names []string
	for _, h := range r.inactive {
		names = append(names, h.Address)
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("Provisioning incomplete, host(s) [%s] skipped because they could not be contacted", strings.Join(names, ",")) //nolint:staticcheck // rke's words
}

// each works on the hosts in order, limit of them at a time. A worker whose do returns false
// takes no further host.
func each(hosts []*Host, limit int, do func(*Host) bool) {
	queue := make(chan *Host, len(hosts))
	for _, h := range hosts {
		queue <- h
	}
	close(queue)
	var working sync.WaitGroup
	for range min(limit, len(hosts)) {
		working.Go(func() {
			for h := range queue {
				if !do(h) {
					return
				}
			}
		})
	}
	working.Wait()
}

// failures is each for work that continues after an error.
func failures(hosts []*Host, limit int, do func(*Host) error) error {
	var mu sync.Mutex
	var errs []error
	each(hosts, limit, func(h *Host) bool {
		if err := do(h); err != nil {
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
		}
		return true
	})
	return errors.Join(errs...)
}
