//go:build tools

// Package apiserver137 pins a current kube-apiserver, for tests of charts in the
// cluster that Rancher runs in: that cluster is upgraded independently of the clusters of the
// lab. It cannot share a module with Kubernetes 1.26.
package apiserver137

import _ "k8s.io/kubernetes/cmd/kube-apiserver"
