// Package faulty is what tests of the engine, of its journal and of its lock share: a
// client whose requests and answers get lost, clocks that nobody waits for, and the
// class that an error has to have. It knows faults, and nothing of runs.
package faulty
