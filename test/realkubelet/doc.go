// Package realkubelet runs one machine with a real kubelet 1.26, Debian's containerd and runc, and
// a real kube-apiserver. It measures how a kubelet shows a container's end, and compares the
// product's rule for it (record.Container.Ended) with the processes.
//
// The true times come from the processes alone: from /proc, from the kernel's report of an end,
// and from the beats that each process writes. Neither kubelet nor containerd is asked for them.
// The shown times come from the product's recorder. There is no Rancher and no RKE2: the tests
// change a manifest and restart the kubelet themselves.
//
// Everything runs in a separate mount namespace and PID namespace, and ends with them. `make
// real-kubelet` runs it, as root; `make test` does not.
package realkubelet
