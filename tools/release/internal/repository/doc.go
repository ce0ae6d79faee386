// Package repository makes the packaged Helm repository of a release, and the list of the
// images that it needs.
//
// It renders charts and connects to no cluster.
package repository
