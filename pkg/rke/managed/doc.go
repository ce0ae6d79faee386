// Package managed migrates RKE clusters that Rancher created. Its edits are patches of
// Rancher's Cluster object, and Rancher runs rke. This rke cannot be paused, and Rancher
// applies a patch immediately. For the checks that both kinds of RKE share, the package
// translates the object to a cluster.yml in memory. It reads no file and runs no program.
package managed
