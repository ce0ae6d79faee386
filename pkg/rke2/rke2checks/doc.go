// Package rke2checks judges Rancher's side of an RKE2 cluster: its versions, machines and
// arguments, the owners of its configuration, and the names of its Nodes. Every check is a
// function of a Prepared value. The package also encodes that side for bundles, so that the
// same checks can judge a bundle.
//
// The package never reads or writes a cluster. It must not import steps or pkg/rke2.
package rke2checks
