// Package cli is the command line: one file per command, its flags and its
// wiring, the views that turn events and plans into text, JSON, JSON lines and
// YAML, and the table that turns a fault's class into an exit code.
//
// It holds no migration logic: what is done, and whether it is done, is decided
// in pkg/rke2, pkg/runner and below.
package cli
