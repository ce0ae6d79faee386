// Package fleet decides when to act on a cluster: whether to watch a rollout, whether a block of
// steps may begin, and what it waits for. It does not decide how.
//
// The package is a function from facts to an action. It takes no client, reads no clock, and
// knows nothing about Rancher, RKE or AWS. It knows only the block of a step.
//
// A rollout is watched before anything else is checked. No decision reads a status, because a
// status is derived from decisions and may be deleted.
package fleet
