// Package replace replaces the cloud controller manager's pods one by one, the leader last, so
// that the cloud controllers pause once. A rolling update replaces them in any order, and each
// leader that it meets pauses them until the lease has expired.
//
// The main lease alone decides who leads, with the migration flag and without: no process takes
// the migration lease before it holds the main one, and the loss of either ends the process
// (k8s.io/cloud-provider:app/controllermanager.go@v0.26.15, lines 225 to 279 and 518 to 543,
// read alike from v0.22.17 to v0.37.2).
package replace
