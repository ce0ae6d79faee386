// Package configtree represents a configuration of rke as maps, lists and scalars. It hides the
// spelling of keys, which differs between cluster.yml, rke's state and Rancher's Cluster. It
// also knows which values may be secret.
//
// It must not know what a key means to a migration.
package configtree
