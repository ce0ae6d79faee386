// Package plans stores, in a ConfigMap, what a ClusterMigration asks a person for: plans for
// approval, and the next edit if it is handed off. An approved plan stays in force while it
// describes the remaining changes. The package does not know the controller and makes no decision
// about a cluster.
package plans
