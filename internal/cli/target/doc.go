// Package target is how a cluster is named, reached and opened: the flags that name it,
// the clients for its API servers, the session of a migration with its journal and lock,
// and what an audit reads, whole, in part or from a bundle.
//
// It judges nothing, runs no step and knows no view: what it has to say while it opens a
// cluster goes to an Output.
package target
