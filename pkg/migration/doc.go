// Package migration is what every migration from the in-tree AWS provider has in
// common, however the cluster was made: the reading of the cluster itself, its
// position, the states of the steps, every step with its way back, and the guard that
// judges a rollout.
//
// Steps plan and judge by a Snapshot, a value that the engine observes before it calls
// them. How an edit gets into the cluster's configuration, and how one knows that it
// was applied, is a Backend's: pkg/rke2, pkg/rke and pkg/rke/managed have one each. This
// package may not know Rancher's objects, cluster.yml, or any file.
package migration
