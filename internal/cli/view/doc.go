// Package view is what people and machines read: the documents that commands print, a
// plan and the question whether to carry it out, a status, a list, an explanation, and how
// an error looks, with its exit code. A run as it goes and what verify prints have packages
// of their own below it.
//
// It takes values and writers. It knows no flag, no client and no distribution, asks
// nobody anything, and decides nothing about a cluster; what a text says never decides
// what it shows.
package view
