package likeness

import "strings"

// Difference is one that stays, with its reason.
type Difference struct {
	Contains string // in the line
	Reason   string
}

// leaves is the reason of a pod's deletion that no change of its manifest asks for.
const leaves = "no machine leaves those of the record"

// Known returns the differences between real machines and stand-ins that stay.
func Known() []Difference {
	return []Difference{
		{"status.capacity.cpu:", "the size of a machine"},
		{"status.allocatable.cpu:", "the size of a machine"},
		{"status.capacity.memory:", "the size of a machine"},
		{"status.allocatable.memory:", "the size of a machine"},
		{".ephemeral-storage:", "the stand-in invents a disk; a real kubelet without local storage isolation shows none"},
		{".hugepages-", "the stand-in has none, and neither awsmigrate nor a pod of the lab asks for any"},
		{".attachable-volumes-aws-ebs:", "the in-tree kubelet's limit of volumes, which only the scheduler reads; the lab has no volumes"},
		{"status.images[", "the stand-in has no images"},
		{"status.nodeInfo.", "the operating system and runtime of the machine; the real one runs pods in containerd"},
		{"status.conditions[Ready].message", "AppArmor is no part of the machine of the tests"},
		{"unschedulable", "a user's cordon"},
		{"joined ", "no machine joins those of the record"},
		{"pod kube-proxy: ready → to be deleted", leaves},
		{"pod kube-proxy: not ready → to be deleted", leaves},
		{"pod kube-proxy: to be deleted → ", leaves},
		{"lease helm-controller-lock:", "the helm controller is a process of the lab with a lease of its own; in RKE2 it is a part of the supervisor"},
		{"annotations.alpha.kubernetes.io/provided-node-ip", "rke gives --node-ip to a machine whose internal address is not its address, as every one of the stand-ins"},
	}
}

func isKnown(line string) bool {
	for _, one := range Known() {
		if strings.Contains(line, one.Contains) {
			return true
		}
	}
	return false
}
