//go:build tools

// Package apiserver137 pins a kube-apiserver of now, for the tests of what is installed in the
// cluster that Rancher runs in: that one is upgraded long before, and long after, the clusters
// of the lab. It cannot share a module with Kubernetes 1.26.
package apiserver137

import _ "k8s.io/kubernetes/cmd/kube-apiserver"
