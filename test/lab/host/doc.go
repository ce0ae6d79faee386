// Package host makes Linux hosts out of namespaces on one machine: each has its own network address,
// host name, processes, root file system, containerd and metadata service at 169.254.169.254. On
// those for rke, which have an SSH server and Docker too, the real rke brings up a cluster. On those
// for RKE2 a real kubelet runs, which the lab's stand-in of RKE2 starts.
//
// A host ends with its first process, and that one with the lab's supervisor. Nothing of it
// survives a crash but the network, folders, cgroups and the kernel settings that a kubelet sets for
// the whole machine, which Clean restores.
//
// It omits: reboots (a host that ends is gone), disks, swap, systemd, cgroups of pods (all hosts
// share the kernel's tree), CAP_SYS_RESOURCE and negative oom scores, and a DNS of its own. Pods
// of rke run in containerd, not in Docker by cri-dockerd, which is in no package.
package host
