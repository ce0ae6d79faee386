// Package journal stores what the cluster cannot show between runs: intents, inverse edits,
// approvals, the fingerprint and the history. An intent is committed before its effect; an undo
// needs the inverse edits.
//
// A journal is one object that belongs to one cluster. A commit succeeds only if the object has
// not changed since it was read. It lands completely or not at all.
//
// The journal holds no secret and nothing that can be read from the cluster. It does not know
// steps, the lock or the engine. Its callers decide who may write, and when.
package journal
