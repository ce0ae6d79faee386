// Package cli is the command line: one file per command, and the handling of signals and of lost
// terminals. Package target reaches and opens clusters, and package view formats output; neither
// knows the other.
//
// It holds no migration logic: pkg/rke2, pkg/runner and the packages below decide what is done.
package cli
