// Package rke2 migrates Rancher-provisioned RKE2 clusters: it reads Rancher's
// objects and the downstream cluster, computes position, plans and verdicts as
// pure functions of what was read, and holds the steps that write.
//
// A change is made by a JSON patch on Rancher's Cluster object and rolled out
// by Rancher's planner; this package never talks to a machine. Rancher's own
// API modules cannot be imported, so its objects are read as small structs of
// ours and never written back whole.
package rke2
