// Package rke migrates RKE clusters by their cluster.yml: it edits the file and runs
// `rke up`. What it shares with the clusters whose rke Rancher runs is here, too
// (Common); what only those have is in managed, which it may not know.
//
// RKE runs the control plane in containers that no API shows. What was applied
// is told by the state that rke keeps in the cluster, by leases and by Nodes,
// never by the exit code of `rke up` alone.
package rke
