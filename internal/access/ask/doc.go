// Package ask reads access: it connects to each API server of a target, reads the user and the rights
// for a purpose, and does the same with AWS. A server that does not answer only prevents what depends
// on it.
//
// It writes nothing. The transport of its clients rejects writes, except reviews of its own access. It
// knows no flags and no views.
package ask
