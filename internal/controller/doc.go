// Package controller decides when something is done to the clusters of a Rancher, by
// their ClusterMigrations, and has internal/session do it: the same run, under the same
// Lease and with the same journal, as on the command line.
//
// A handler never runs anything: it decides on what was read before (pkg/fleet), begins
// work that has a goroutine of its own, and writes the status. What rolls is watched
// before anything else is asked, also where no object names the cluster any more, and
// losing the leadership ends deciding, not watching.
//
// It knows no step of a migration but by its ID, and nothing of Rancher but that a Cluster
// is there. Nothing is decided from a status.
package controller
