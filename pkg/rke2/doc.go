// Package rke2 migrates Rancher-provisioned RKE2 clusters: its Backend configures one by
// Rancher's Cluster object, and says what Rancher and the machines have applied of it.
//
// A change is made by a JSON patch on Rancher's Cluster object and rolled out
// by Rancher's planner; this package never talks to a machine. What it reads is of
// pkg/rke2/rancher, how an edit is computed of pkg/rke2/config/edits, and what is judged
// before a write of pkg/rke2/rke2checks: none of the three may know this package.
package rke2
