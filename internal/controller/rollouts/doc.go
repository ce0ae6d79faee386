// Package rollouts carries out the decisions about MigrationRollouts: it sets goals and approvals
// of ClusterMigrations, and writes the status. The decision is pkg/fleet/rollout's, and what is
// known of a cluster is the controller's.
package rollouts
