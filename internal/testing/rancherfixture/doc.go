// Package rancherfixture provides a Rancher cluster for tests of the product, as served objects
// and as the facts that are read from them. It imports pkg/rke2/rancher, so tests of that
// package must be external tests to use it.
package rancherfixture
