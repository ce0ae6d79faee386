// Package guard protects the invariants of a migration. It compares the names of Nodes, the
// control-plane machines and the cordons of users with the fingerprint of the first
// preflight. The Guard judges every observation during a rollout and returns an error if
// continuing would do harm.
//
// The package is pure except for the notes that it writes to a journal. It must not import
// backends, steps or clients.
package guard
