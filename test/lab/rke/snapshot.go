package rke

import (
	"context"
	"fmt"
	"os"

	"github.com/awsmigrate/awsmigrate/test/lab/docker"
)

// SnapshotFile returns the path of a snapshot of etcd on a host.
func SnapshotFile(name string) string { return "/opt/rke/etcd-snapshots/" + name + ".zip" }

// Snapshot creates a file on each host with etcd. It cannot be restored.
func (e *Engine) Snapshot(ctx context.Context, c Config, name string) error {
	e.Log.infof("Starting saving snapshot on etcd hosts")
	cluster, err := e.Release.Resolve(c)
	if err != nil {
		return err
	}
	r := &run{Engine: e, cluster: cluster, hosts: map[string]docker.Host{}}
	if err := r.tunnel(ctx); err != nil {
		return err
	}
	if _, err := readState(e.ClusterFile); err != nil {
		return err
	}
	for _, h := range cluster.with(func(h *Host) bool { return h.Etcd }) {
		e.Log.infof("[etcd] Running snapshot save once on host [%s]", h.Address)
		if err := r.hosts[h.Address].WriteFile(ctx, SnapshotFile(name), []byte("a snapshot of the lab's\n")); err != nil {
			return err
		}
	}
	e.Log.infof("Finished saving/uploading snapshot [%s] on all etcd hosts", name)
	return nil
}

// FetchState replaces the state file by the cluster's, and keeps the old file.
func (e *Engine) FetchState(ctx context.Context) error {
	client, err := e.kube()
	if err != nil {
		return err
	}
	state, err := fetchState(ctx, client)
	if err != nil {
		return fmt.Errorf("error getting full cluster state from secret: %w", err)
	}
	if err := os.Rename(StateFile(e.ClusterFile), StateFile(e.ClusterFile)+".bak"); err != nil && !os.IsNotExist(err) {
		return err
	}
	return state.write(e.ClusterFile, e.Log)
}
