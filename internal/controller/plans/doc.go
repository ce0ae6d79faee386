// Package plans keeps in a ConfigMap what a cluster's ClusterMigration asks a person for: the
// plans that may be approved, of which the approved one stays in force for as long as it is
// what is left to do, and the next edit where somebody else commits it. It knows no controller
// and decides nothing that is done to a cluster.
package plans
