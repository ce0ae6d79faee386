// Package realkubelet is one machine with a real kubelet 1.26 and the containerd and runc of
// Debian, beside a real kube-apiserver, to measure what a kubelet shows of a container's end
// and to hold the product's rule for it (record.Container.Ended) against what really ran.
//
// What ran it knows from the processes alone: from /proc, from the kernel's word that one has
// ended, and from what each writes down itself. It never asks kubelet or containerd for that.
// What is shown it takes from the product's own recorder. It has no Rancher and no RKE2: that
// a manifest changes together with a restart of the kubelet is done here by hand.
//
// Everything runs in a mount namespace and a PID namespace of its own, and ends with them.
// `make real-kubelet` runs it, as root; it is no part of `make test`.
package realkubelet
