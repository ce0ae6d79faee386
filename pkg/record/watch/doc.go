// Package watch records a cluster. It watches the leases, the pods of the controller managers,
// the Nodes and the Services of one API server, and passes changes to a record.Sink.
//
// It only reads, keeps only a digest of an object, and judges nothing. The record also contains
// its gaps.
package watch
