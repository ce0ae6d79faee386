// Package look reads what an inventory is made of: Rancher's own objects, by a list of
// each kind, then of every cluster that may be on its way the lock, the journal and, where
// that is wanted, the cluster itself, several at once. One that does not answer holds back
// no other.
//
// It writes nothing: its clients refuse to, in the transport. It knows no flag and no view.
package look
