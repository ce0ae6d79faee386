// Package rkechecks judges RKE's side of a cluster: cluster.yml, rke's state, the binary, the
// arguments and the names of the nodes. Every check is a function of a Prepared value. Each
// category has one file with the table of its checks, and a file *_judge.go with their
// functions.
//
// The package never reads or edits a cluster. It must not import steps.
package rkechecks
