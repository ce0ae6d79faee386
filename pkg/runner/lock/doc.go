// Package lock prevents two runs from working on one cluster. The lock is a Lease that its owner
// renews, and proves before every write. Another run takes it over only from a dead owner.
//
// Three observations prove a death. The process table that both runs share does not list the
// owner. Or the kubelet has started the next process of the owner's container. Or the Lease did
// not change for its whole duration.
//
// The package never compares clocks of two machines. It does not know the journal or the steps.
package lock
