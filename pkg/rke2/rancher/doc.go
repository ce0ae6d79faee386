// Package rancher reads Rancher's objects about one cluster as Facts. From them it derives
// pending conditions, other owners of the cluster, and whether awsmigrate supports it. It
// connects to the downstream cluster (pkg/viarancher), proves that it is the right one, and
// combines both sides in a migration.Reading.
//
// Rancher's own API modules cannot be imported. The package therefore reads its objects into
// small structs, which are never written back whole.
//
// The package never writes. It must not import steps, edits, checks or pkg/rke2.
package rancher
