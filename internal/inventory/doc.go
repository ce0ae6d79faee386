// Package inventory is every cluster of one Rancher in a few words each: what it is,
// where it is on the way from the in-tree AWS provider, who keeps its configuration, and
// what stops it or comes next. It is a function of what was read (Of), and the rows are
// what machines get.
//
// It takes no client: what is read, and of whom, is in its look. It knows no command and
// no view, and makes no check: what would stop a run beyond what a row says is for plan.
package inventory
