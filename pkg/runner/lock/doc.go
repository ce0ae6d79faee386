// Package lock prevents two runs from working on one cluster. The lock is a Lease that its owner
// renews, and proves before every write. Another run takes it over only from a dead owner.
//
// There are three proofs of death: the process table that both runs share, the next process that
// the kubelet started in the owner's container, and a Lease that does not change for its whole
// duration.
//
// The package never compares clocks of two machines. It does not know the journal or the steps.
package lock
