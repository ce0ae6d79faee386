// Package rkestate reads the facts of an RKE cluster outside its API: cluster.yml, rke's full
// state in the cluster and next to the file, the binary, and the volumes that are pinned to a
// node by its hostname label. Facts holds all of it.
//
// The full state contains every private key of the cluster: it is neither kept nor logged. The
// package reads and judges nothing. It must not know steps, edits or checks.
package rkestate
