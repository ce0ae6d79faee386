// Package configtree is a configuration of rke as maps, lists and scalars, whichever
// way it is kept: cluster.yml, rke's state and Rancher's Cluster spell the same keys
// differently. It says which values may be secret.
//
// It may not know what a key means to a migration.
package configtree
