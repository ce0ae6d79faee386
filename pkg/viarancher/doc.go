// Package viarancher is the way to a cluster through Rancher: with the user's own
// credentials, or with those that Rancher keeps in a Secret for itself, which it
// replaces now and then. It is the same for every kind of cluster.
//
// What comes out of a Secret is not trusted: it may neither run something here nor lead
// to another place than Rancher's way to this very cluster.
package viarancher
