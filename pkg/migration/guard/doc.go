// Package guard holds what must stay as it was while a migration changes other things:
// the fingerprint that the first preflight takes, and, compared with it, the names of
// Nodes, the control-plane machines and the cordons of users. The Guard judges every
// observation while a change is rolled out, and says when going on would do harm.
//
// It is pure but for the notes that it puts into a journal. It may not know a backend, a
// step, or a client.
package guard
