// Package managed migrates RKE clusters that Rancher made: its edits are patches of
// Rancher's Cluster object, and Rancher runs rke. Nothing pauses that rke, and a
// patch is applied at once. It may not know a cluster.yml, nor run a program.
package managed
