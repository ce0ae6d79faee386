// Package migration models a migration from the in-tree AWS provider for clusters of any
// provisioner: one observation (Snapshot, Reading), the user's choices (Options), and the
// differences between clusters (Backend, Editor). Backends are in pkg/rke2, pkg/rke and
// pkg/rke/managed.
//
// Packages below it use the model: guard judges invariants during a rollout, chart installs
// the CCM, rolling judges processes, audit runs the checks, and procedure defines the steps.
// This package imports none of them, and knows no Rancher object, cluster.yml or file. It
// reads a cluster only through the methods of Access.
package migration
