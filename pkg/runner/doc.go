// Package runner is the stepwise engine: it observes a procedure, runs the
// first step that is still to do, waits for what the step awaits, records
// intent before effect, holds the lock, and stops where a person must act.
//
// It knows nothing of Rancher, RKE or AWS, and decides nothing about them:
// whether a step is done is what the Procedure reads from the cluster. The
// journal holds intent, approvals, inverse edits, the fingerprint and history,
// never a verdict that the cluster can give.
package runner
