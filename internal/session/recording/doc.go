// Package recording keeps a record of a cluster, and of the runs of awsmigrate on it, while
// they work: in a file, in memory for a report at the end, or both.
//
// It never stops or slows a run. What it cannot see, or cannot write, it says once.
package recording
