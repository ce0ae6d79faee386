// Package rkestate is what is read of an RKE cluster beside its API: cluster.yml, rke's
// full state, in the cluster and beside the file, the binary, and the volumes that
// follow a node by its hostname label. All of it is in Facts.
//
// The full state holds every private key of the cluster: it is neither kept nor
// logged. The package reads, and judges nothing; it may not know steps, edits or
// checks.
package rkestate
