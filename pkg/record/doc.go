// Package record is the form of what was seen of a cluster's cloud controllers over
// time: a header, then one entry for each observation, as JSON lines. It writes and
// reads that form, and judges nothing: package judge does.
//
// It knows no client; package watch makes entries of what an API server says.
package record
