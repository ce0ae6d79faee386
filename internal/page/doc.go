// Package page formats a Markdown document for a terminal, and finds rows in its tables. It
// supports the subset of Markdown that docs/ uses. It takes no client and reads no file.
package page
