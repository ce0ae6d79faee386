// Package host makes Linux hosts out of namespaces on one machine, on which the real rke brings up
// a cluster: each has its own network address, host name, processes, root file system, SSH server,
// Docker, containerd and metadata service at 169.254.169.254.
//
// A host ends with its first process, and that one with the lab's supervisor. Nothing of it
// survives a crash but the network, folders, cgroups and the kernel settings that a kubelet sets for
// the whole machine, which Clean restores.
//
// It omits: reboots (a host that ends is gone), disks, swap, systemd, cgroups of pods (all hosts
// share the kernel's tree), CAP_SYS_RESOURCE and negative oom scores, and a DNS of its own. Pods
// run in containerd, not in Docker by cri-dockerd, which is in no package.
package host
