// Package rke2 migrates RKE2 clusters that Rancher provisioned. Its Backend edits Rancher's
// Cluster object and reports how far Rancher and the machines have applied an edit.
//
// Every edit is a JSON patch on the Cluster object, and Rancher's planner rolls it out. This
// package never talks to a machine. It reads through pkg/rke2/rancher, computes edits with
// pkg/rke2/config/edits and checks them with pkg/rke2/rke2checks. None of these three
// packages may import this one.
package rke2
