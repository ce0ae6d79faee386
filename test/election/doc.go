// Package election models the election of one lease as a state machine. It is small enough to
// explore every interleaving of its candidates' reads and writes. The model follows client-go's
// LeaderElector (client-go:tools/leaderelection/leaderelection.go@v0.26.13). Reads, writes and
// replies are separate steps, and any event may happen between two of them.
//
// Time is one count of seconds, shared by all processes. Clock skew needs no case: no candidate
// read the times in a lease. A candidate counts from the moment when it saw the lease change.
//
// Steps are optional. A step that is not taken models an unavailable API server, a network
// partition or a busy machine. Only a leader must act in time, by ending.
package election
