// Package archive keeps the records of runs next to the journal of their cluster, for its
// readers: compressed, limited, and only the newest. It knows the format of a record and the API
// that stores it, and judges nothing.
//
// No decision depends on its contents. If a record cannot be stored, only the record is lost.
package archive
