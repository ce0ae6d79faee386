package component

import (
	"strings"
)

// PodHash is an environment variable that RKE2 sets in static pods in exactly the releases
// of FixedUID. It identifies those releases if the version cannot be read
// (rancher/rke2:pkg/staticpod/staticpod.go, every tag from v1.21 to v1.28).
const PodHash = "POD_HASH"

// fixedUID is the UID of kube-controller-manager's static pod in those releases: the MD5 of
// its manifest's path in the default data directory.
const fixedUID = "57585a0305e4e46df816ebab263926f3"

// FixedUID reports whether an RKE2 release gives its static pods a UID that never changes
// (introduced by rancher/rke2#3415, removed by rancher/rke2#4508). A kubelet replaces a
// mirror pod only if its hash, which is that UID, changes
// (kubernetes/kubernetes:pkg/kubelet/kubelet.go@v1.26.13, IsMirrorPodOf). The status of such
// a pod is still updated.
func FixedUID(version string) bool {
	v, err := ParseVersion(version)
	if err != nil || v.Major != 1 || !strings.Contains(version, "+rke2") {
		return false
	}
	patches, affected := map[int][2]int{23: {13, 17}, 24: {7, 16}, 25: {3, 12}, 26: {0, 7}, 27: {1, 4}}[v.Minor]
	return affected && patches[0] <= v.Patch && v.Patch <= patches[1]
}

// Mirror holds the facts that decide whether a mirror pod shows the current arguments of
// its static pod.
type Mirror struct {
	Kubelet string // version of the Node's kubelet, "v1.26.7+rke2r1"
	Hash    string // annotation kubernetes.io/config.hash
	PodHash bool   // a container has the environment variable PodHash
}

// Frozen returns why the pod may show outdated arguments, or "" if it shows the current
// ones.
func (m Mirror) Frozen() string {
	const outdated = ": the API goes on showing the arguments of their first start"
	switch {
	case FixedUID(m.Kubelet):
		return "RKE2 " + m.Kubelet + " gives static pods a fixed UID" + outdated
	case m.PodHash:
		return "its variable " + PodHash + " is of an RKE2 that gives static pods a fixed UID" + outdated
	case m.Hash == fixedUID:
		return "its UID " + m.Hash + " is the fixed one that some releases of RKE2 give static pods" + outdated
	}
	return ""
}

// Remedy returns how to make the current arguments visible, or "" if they are.
func (m Mirror) Remedy() string {
	switch {
	case m.Frozen() == "":
		return ""
	case FixedUID(m.Kubelet):
		return "upgrade RKE2 to " + Unfixed(m.Kubelet) + " first"
	case strings.Contains(m.Kubelet, "+rke2"):
		return "wait until the mirror pod, which was not replaced since the upgrade to " + m.Kubelet + ", is a new one"
	}
	return "upgrade RKE2 to " + Unfixed(m.Kubelet) + " first"
}

// Unfixed returns the releases to upgrade to from a release of FixedUID. The first releases
// without the fixed UID (v1.24.17, v1.25.13, v1.26.8, v1.27.5) may treat a running static
// pod as stopped (rancher/rke2#4775). 1.24 has no later release.
func Unfixed(version string) string {
	v, _ := ParseVersion(version) // the zero value selects the last answer
	switch v.Minor {
	case 23:
		return "v1.24.17, then v1.25.15 or later: no release of 1.23 from v1.23.13 on shows them, and v1.24.17 lacks the fix of rancher/rke2#4775"
	case 24:
		return "v1.25.15 or later: of 1.24 only v1.24.17 shows them, and it lacks the fix of rancher/rke2#4775"
	case 25:
		return "v1.25.15 or later"
	case 26:
		return "v1.26.10 or later"
	case 27:
		return "v1.27.7 or later"
	}
	return "v1.25.15, v1.26.10 or later ones of their minor versions"
}
