// Package target names, reaches and opens a cluster. It holds the flags that name it, the clients
// of its API servers, the session of a migration with its journal and lock, and the input of an
// audit: whole, in part or from a bundle.
//
// It judges nothing, runs no step and knows no view: its messages go to an Output.
package target
