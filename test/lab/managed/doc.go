// Package managed simulates the part of Rancher that manages an RKE1 cluster. It applies
// the rancherKubernetesEngineConfig of a management.cattle.io/v3 Cluster with rke's stand-in,
// in this process, and reports the result in the object's status.
//
// It follows rancher/rancher@v2.8.5 (pkg/controllers/management/clusterprovisioner,
// rkeworkerupgrader), including its surprises. The condition Updated is True for a moment
// before anything was done. appliedSpec is written, and Updated becomes True, when the control
// plane is done and the workers have not been checked. The workers follow a moment later under
// another condition, Upgraded.
//
// It omits users and tokens, norman's own API and its validation, node drivers and templates,
// the agents (nodes are reached directly), cordons of workers by Rancher (rke's stand-in sets
// them), backups, rotation, restoring, and all other conditions.
package managed
