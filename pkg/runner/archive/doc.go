// Package archive keeps the records of runs beside the journal of their cluster, where
// whoever may read that one finds them: compressed, bounded, the newest ones. It knows the
// form of a record and the API that keeps it, and judges nothing.
//
// Nothing is ever decided by what it keeps. A record that cannot be kept costs the record.
package archive
