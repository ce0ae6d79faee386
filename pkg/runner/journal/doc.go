// Package journal keeps what no cluster can tell between runs: intents before their
// effects, the inverse edits that an undo needs, approvals, the fingerprint, history.
// It is one object, pinned to one cluster, written on the condition that nobody wrote
// it since it was read, and never half: either the commit landed, or it did not.
//
// It holds no verdict that the cluster can give, and no secret. It knows no step, no
// lock and no engine: who may write, and when, is decided above it.
package journal
