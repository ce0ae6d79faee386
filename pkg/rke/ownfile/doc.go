// Package ownfile makes and opens the files that awsmigrate keeps beside a
// cluster.yml, where others may be able to write too: the lock that every rke
// inherits, and the logs of its runs. What somebody else put in their place is
// refused.
//
// It may not know what is in cluster.yml, nor rke.
package ownfile
