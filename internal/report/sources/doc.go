// Package sources makes reports of what nobody recorded for one: of a journal, and of a
// bundle. It is a function of what was read, and takes no client. What neither of them tells
// is unknown in the report.
package sources
