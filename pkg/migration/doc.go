// Package migration models a migration from the in-tree AWS provider for clusters of any
// provisioner. Snapshot and Reading hold one observation, and Options the user's choices.
// Backend and Editor hide the differences between clusters; their implementations are in
// pkg/rke2, pkg/rke and pkg/rke/managed.
//
// The packages below it use the model. Package guard judges invariants during a rollout,
// rolling judges processes, and chart installs the CCM. Package audit runs the checks, and
// procedure defines the steps. Package migration imports none of them, and knows no Rancher
// object, cluster.yml or file. It reads a cluster only through the methods of Access.
package migration
