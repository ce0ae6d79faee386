// Package lock keeps two runs from working on one cluster: a Lease that is renewed,
// proved before every write, and taken from another owner only when that one is seen
// to be dead, by the process table that both share, by the kubelet that started the next
// process of its container, or by a Lease that does not change for as long as it holds.
//
// No clock of another machine is ever compared. It knows no journal and no step.
package lock
