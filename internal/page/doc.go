// Package page makes a document in Markdown readable on a terminal, and finds rows in its
// tables. It knows as much of Markdown as docs/ uses. Takes no client and reads no file.
package page
