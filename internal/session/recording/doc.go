// Package recording records a cluster and awsmigrate's runs on it while they work: in a file,
// in memory for a report at the end, or both.
//
// It never stops or slows a run. A failure to observe or to write is reported once.
package recording
