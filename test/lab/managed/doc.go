// Package managed stands in for the part of Rancher that keeps an RKE1 cluster:
// it applies the rancherKubernetesEngineConfig of a management.cattle.io/v3
// Cluster with rke's stand-in, in this process, and says so in the object's
// status.
//
// It follows rancher/rancher@v2.8.5 (pkg/controllers/management/clusterprovisioner,
// rkeworkerupgrader). Where Rancher does something surprising, so does it: the
// condition Updated is True for a moment before anything was done; appliedSpec is
// written, and Updated becomes True, when the control plane is done and before
// anybody looked at the workers; these follow a moment later under another
// condition, Upgraded.
//
// Left out: users and tokens, norman's own API and its validation, node drivers
// and templates, the agents (nodes are reached directly), cordons of workers by
// Rancher (rke's stand-in does them), backups, rotation, restoring, and the
// conditions of everything else.
package managed
