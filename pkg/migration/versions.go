package migration

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// UpgradeAllowed accepts the same or the next minor version, never an older one.
// mark is what tells the distribution's versions from others: "+rke2".
func UpgradeAllowed(now, target, mark string) error {
	refuse := func(seen string) error {
		return &fault.Error{Class: fault.Usage, Reason: "UpgradeNotAllowed", Object: "flag --kubernetes-version", Seen: seen,
			Wanted: "a version with " + mark + ", of the same or the next minor as " + now}
	}
	from, err := semver.NewVersion(strings.TrimPrefix(now, "v"))
	if err != nil {
		return refuse(fmt.Sprintf("the cluster's version %q cannot be read", now))
	}
	to, err := semver.NewVersion(strings.TrimPrefix(target, "v"))
	switch {
	case err != nil || !strings.Contains(target, mark):
		return refuse(fmt.Sprintf("%q is no version with %s", target, mark))
	case to.LessThan(from):
		return refuse(target + " is older than " + now)
	case to.Major() != from.Major() || to.Minor() > from.Minor()+1:
		return refuse(fmt.Sprintf("%s skips a minor version after %s", target, now))
	}
	return nil
}

// sameVersion says whether a kubelet of one version runs what a distribution
// calls by the other: RKE's kubelets do not tell "-rancher1-1".
func sameVersion(kubelet, version string) bool {
	if kubelet == version {
		return true
	}
	plain, _, found := strings.Cut(version, "-rancher")
	return found && kubelet == plain
}

func atVersion(nodes []downstream.Node, version string) bool {
	if version == "" {
		return true
	}
	for i := range nodes {
		if !sameVersion(nodes[i].Kubelet, version) {
			return false
		}
	}
	return len(nodes) > 0
}

// KubeletsUpgraded are the Nodes whose kubelet does not run a version yet, in words,
// and how many do.
func (r Reading) KubeletsUpgraded(target string) (open []string, done int, evidence string) {
	for i := range r.Down.Nodes {
		if node := &r.Down.Nodes[i]; sameVersion(node.Kubelet, target) {
			done++
		} else {
			open = append(open, fmt.Sprintf("Node %s runs %s", node.Name, node.Kubelet))
		}
	}
	return open, done, fmt.Sprintf("%d of %d kubelets run %s", done, len(r.Down.Nodes), target)
}

// KubeletBehind is the version that a member's kubelet runs instead of target; "": it runs
// target.
func (r Reading) KubeletBehind(m Member, target string) string {
	for _, name := range m.Nodes {
		if node := r.Down.Node(name); node != nil && !sameVersion(node.Kubelet, target) {
			return node.Kubelet
		}
	}
	return ""
}
