// Package rke migrates RKE clusters: those made with the rke command line, by
// editing cluster.yml and running `rke up`, and those that Rancher manages, by
// editing its Cluster object.
//
// RKE runs the control plane in containers that no API shows. What was applied
// is told by the state that rke keeps in the cluster, by leases and by Nodes,
// never by the exit code of `rke up` alone.
package rke
