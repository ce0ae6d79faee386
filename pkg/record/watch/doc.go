// Package watch makes a record of a cluster: it follows the leases, the pods of the
// controller managers, Nodes and Services of one API server, and puts what
// changes into a record.Sink as it comes.
//
// It only reads, keeps of an object no more than tells whether it changed, and judges
// nothing. What it could not see it says in the record, too.
package watch
