// Package migration is the model of a migration from the in-tree AWS provider, however
// the cluster was made: what one observation of it says (Snapshot, Reading), the user's
// choices (Options), and what differs between clusters (Backend, Editor). Backends are in
// pkg/rke2, pkg/rke and pkg/rke/managed.
//
// What is made of the model is in rooms below it: guard judges what must not change
// meanwhile, chart what is installed, audit runs the checks, and procedure has the steps.
// This package knows none of these, and neither Rancher's objects, cluster.yml, nor any
// file. It reads no cluster but by the few functions of Access.
package migration
