// Package rancher is what is read of Rancher about one cluster: its objects, as Facts,
// and of them what is pending, who else keeps the cluster, and whether it is one that
// can be migrated at all. It chooses the way to the cluster itself (pkg/viarancher),
// proves that it leads there, and puts what was read on both sides together as a
// migration.Reading.
//
// Rancher's own API modules cannot be imported, so its objects are read as small
// structs of ours and never written back whole.
//
// It reads, and writes nothing: it may not know steps, edits that are made, or checks,
// nor pkg/rke2, which stands on it.
package rancher
