// Package edits computes changes of Rancher's RKE2 configuration: the exact change that
// migrates a cluster or rolls it back, the place in which it takes effect, and the inverse that
// undoes it.
//
// One change: edit, op and its variants, winners, arglist, diff, copies. Its inverse: inverse,
// undo. The changes of a migration: switch, switch_back, leadermigration, manifest, ours. guard
// proves that an edit makes these changes and no others. The representation of values is
// private, so that no other package can bypass those proofs.
//
// The package is pure: values in, values out. It must not know a client, a clock, a file or the
// journal, and it never decides when to make an edit.
package edits
