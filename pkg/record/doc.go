// Package record is the file format for observations of a cluster's cloud controllers over time:
// JSON lines with a header and one entry per observation. It writes and reads that format;
// package judge judges it.
//
// It has no client; package watch creates entries from an API server's answers.
package record
