// Package look reads the facts of an inventory. It lists each kind of Rancher's own objects. For
// every cluster that a migration may concern, it reads the lock, the journal and, if requested,
// the cluster itself. It reads several clusters concurrently, so that one without an answer
// delays no other.
//
// It writes nothing: the transport of its clients refuses writes. It knows no flag and no view.
package look
