// Package options holds the table of user options: one row for each flag, with its help,
// its words, its default, and the field of a ClusterMigration that sets the same. Flags,
// completion, help, docs/cli.md, the arguments of a Job, the validation of words and the
// basis of a plan come from it.
//
// A struct declares its option by a tag: `flag:"region"` holds the value of --region, and a
// bool with `flag:"hand-over=early"` reports whether the value is this word.
// Clocks, sinks and callbacks are no options.
//
// It is a leaf: it knows no command, no kind of object and no cluster.
package options
