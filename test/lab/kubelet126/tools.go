//go:build tools

// Package kubelet126 pins a real kubelet 1.26.13, for the program that measures what a kubelet
// shows of a container's end (test/realkubelet). It is separate from the lab's control plane
// because no other program needs the dependencies of a kubelet.
package kubelet126

import _ "k8s.io/kubernetes/cmd/kubelet"
