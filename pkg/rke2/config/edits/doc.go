// Package edits computes changes of Rancher's RKE2 configuration: the exact change that
// moves a cluster on or back, where it has to be made so that it wins, and what undoes it
// later.
//
// What one change is: edit, op and its forms, winners, arglist, diff, copies. What takes it
// back: inverse, undo. What a migration wants: switch, switch_back, leadermigration,
// manifest, ours; guard proves that an edit does this, and touches nothing else. How a
// value is kept and changed stays in here, and with that the way past those proofs.
//
// It is pure: values in, values out. It may not know a client, a clock, a file or the
// journal, and it never decides when an edit is made.
package edits
