// Package rkechecks judges RKE's side of a cluster: cluster.yml, rke's state, the
// binary, the arguments and the names of the nodes. A check is a function of what was
// prepared for it, and stands with its table's row; the tables are one file for each
// category, and beside each is how its checks judge.
//
// It may not read, edit or know steps.
package rkechecks
