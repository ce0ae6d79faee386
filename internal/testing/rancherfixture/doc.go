// Package rancherfixture has a cluster of Rancher's for tests of the product: its
// objects, served, and what is read of such objects. Tests of pkg/rke2/rancher that use
// it are outside their package, since it knows that package.
package rancherfixture
