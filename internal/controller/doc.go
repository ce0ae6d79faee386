// Package controller decides when to act on the clusters of a Rancher, according to their
// ClusterMigrations. Package internal/session carries it out: the same run, with the same Lease
// and journal, as on the command line.
//
// A handler never runs a migration. It decides on earlier readings (pkg/fleet), starts work
// in another goroutine, and writes the status. A rollout is watched before anything else, even if
// its object was deleted. A process that loses the leadership stops deciding, but continues
// watching.
//
// The package knows the steps of a migration only by ID, and about Rancher only that a Cluster
// exists. No decision depends on a status.
package controller
