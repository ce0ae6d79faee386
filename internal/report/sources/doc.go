// Package sources creates reports without a watch: from a journal, and from a bundle. It is a
// function of read values, and takes no client. Facts that neither contains are unknown in the
// report.
package sources
