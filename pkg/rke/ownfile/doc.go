// Package ownfile creates and opens the files that awsmigrate keeps next to a cluster.yml, in a
// folder that others may be able to write to: the lock that every rke inherits, and the logs of
// its runs. It refuses files that another user put in their place.
//
// It must not know the content of cluster.yml, or rke.
package ownfile
