// Package migration is what every migration from the in-tree AWS provider has in
// common, however the cluster was made: the reading of the cluster itself, its
// position, the states of the steps, the steps that need nothing but the
// Kubernetes API (grant, cordon, installation, audit, the end of leader
// migration), and the guard that judges a roll.
//
// How a change gets into the cluster's configuration, and how one knows that it
// was applied, is a Side's: pkg/rke2 and pkg/rke have one each. This package may
// not know Rancher's objects, cluster.yml, or any file.
package migration
