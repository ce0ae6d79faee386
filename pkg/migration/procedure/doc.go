// Package procedure is the migration as the engine runs it, and its undo: what is
// observed, which steps are in force and how far each of them is, what stops a run before
// its first write, and every step with its way back.
//
// Steps plan and judge by a migration.Snapshot, a value that the engine observes before
// it calls them. How an edit gets into the configuration, and what shows that it was
// applied, is a migration.Backend's; this package knows none of them.
// order.go is the one table of the steps, states.go and undo_states.go say how far each is.
package procedure
