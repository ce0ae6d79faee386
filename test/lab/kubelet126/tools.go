//go:build tools

// Package kubelet126 pins a real kubelet and kube-proxy 1.26.13, for the program that measures what
// a kubelet shows of a container's end (test/realkubelet) and for the lab's real machines. It is
// separate from the lab's control plane because no other program needs the dependencies of a
// kubelet.
package kubelet126

import (
	_ "k8s.io/kubernetes/cmd/kube-proxy"
	_ "k8s.io/kubernetes/cmd/kubelet"
)
