// Package managed migrates RKE clusters that Rancher made: its edits are patches of
// Rancher's Cluster object, and Rancher runs rke. Nothing pauses that rke, and a
// patch is applied at once. For the checks that both kinds of RKE share, the object is
// translated into a cluster.yml that lies nowhere. It reads no file and runs no program.
package managed
