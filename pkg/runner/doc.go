// Package runner is the stepwise engine: it observes a procedure, runs the
// first step that is still to do, waits for what the step awaits, records
// intent before effect, holds the lock, and stops where a person must act.
//
// It knows nothing of Rancher, RKE or AWS, and decides nothing about them:
// whether a step is done is what the Procedure reads from the cluster. What is kept
// between runs is in journal, what keeps two runs apart in lock, and how an API that
// is away is waited for in retry; none of them knows the engine.
package runner
