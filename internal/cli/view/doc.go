// Package view is what people and machines read: the documents that commands print, a
// run as it goes, a plan, a status, and how an ending looks, with its exit code. What
// verify prints has a package of its own below it.
//
// It takes values and writers. It knows no flag, no client and no distribution, asks
// nobody anything, and decides nothing about a cluster; what a text says never decides
// what it shows.
package view
