// Package cli is the command line: one file per command, and what the process does
// about signals and about a terminal that goes away. How a cluster is reached and opened
// is in target, what people read in view; neither knows the other.
//
// It holds no migration logic: what is done, and whether it is done, is decided
// in pkg/rke2, pkg/runner and below.
package cli
