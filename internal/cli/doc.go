// Package cli is the command line: one file per command. Package app holds what the commands share,
// package usage what their tree gets. Package target reaches and opens clusters, and package view
// formats output; neither knows the other.
//
// It holds no migration logic: pkg/rke2, pkg/runner and the packages below decide what is done.
package cli
