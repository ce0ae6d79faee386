// Package viarancher connects to a cluster through Rancher: with the user's own credentials,
// or with a kubeconfig that Rancher stores in a Secret and replaces from time to time. It
// works for every kind of cluster.
//
// The content of a Secret is not trusted. It must not execute anything here, and it must not
// lead anywhere but to Rancher's proxy path of this cluster.
package viarancher
