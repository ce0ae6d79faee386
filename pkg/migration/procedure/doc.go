// Package procedure implements the migration for the engine, and its undo: it observes the
// cluster, judges how far each step is, refuses a run before its first write, and implements
// every step.
//
// Steps plan and judge from a migration.Snapshot, a value that the engine observes before it
// calls them. A migration.Backend makes the edits and proves that they are applied; this
// package knows no particular one. order.go holds the table of the steps; states.go and
// undo_states.go judge how far each is.
package procedure
