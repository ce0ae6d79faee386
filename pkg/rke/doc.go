// Package rke migrates RKE clusters through their cluster.yml: it edits the file and runs
// `rke up`. Common holds the part that it shares with clusters whose rke Rancher runs. The
// package managed handles those clusters; this package must not import it.
//
// RKE runs the control plane in containers that no API shows. The proof of an applied edit is
// rke's state in the cluster, leases and Nodes, never the exit code of `rke up` alone.
package rke
