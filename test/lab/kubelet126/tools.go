//go:build tools

// Package kubelet126 pins a real kubelet 1.26.13, for the program that measures what one shows
// of a container's end (test/realkubelet). It stands apart from the lab's control plane: what a
// kubelet brings along is wanted by nothing else.
package kubelet126

import _ "k8s.io/kubernetes/cmd/kubelet"
