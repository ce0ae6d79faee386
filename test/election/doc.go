// Package election is the election of one lease as a state machine, small enough to go
// through every interleaving of what its candidates read and write: client-go's
// LeaderElector (client-go:tools/leaderelection/leaderelection.go@v0.26.13), whose reads,
// writes and replies are steps of their own, between which anything may happen to anybody.
//
// Time is a count of seconds that everybody counts alike; there is no time of day, because
// no candidate compares one: what is written in a lease as a time is read by nobody, and a
// candidate counts from when it saw a lease change. Clocks that are apart are therefore no
// case of their own here.
//
// Whoever may act need not: an API server that is away, a network that is cut, a machine
// that is busy are steps that are not taken. A leader alone has to act in time, by ending.
package election
