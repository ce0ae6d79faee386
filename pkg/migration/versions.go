package migration

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// UpgradeAllowed returns an error unless target is of the same or the next minor version as
// now and not older. mark identifies the versions of the distribution: "+rke2".
func UpgradeAllowed(now, target, mark string) error {
	refuse := func(seen string) error {
		return &fault.Error{Class: fault.Usage, Reason: "UpgradeNotAllowed", Object: "flag --kubernetes-version", Seen: seen,
			Wanted: "a version with " + mark + ", of the same or the next minor as " + now, Fix: "choose one from Rancher's list of versions, written as " + now + " is"}
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

// sameVersion reports whether a kubelet's version equals a distribution's version. RKE's
// kubelets omit the suffix "-rancher1-1".
func sameVersion(kubelet, version string) bool {
	if kubelet == version {
		return true
	}
	plain, _, found := strings.Cut(version, "-rancher")
	return found && kubelet == plain
}

// AtVersion reports whether every kubelet runs a version of the distribution, or true for none.
func (r Reading) AtVersion(version string) bool {
	if version == "" {
		return true
	}
	for _, node := range r.Down.Nodes {
		if !sameVersion(node.Kubelet, version) {
			return false
		}
	}
	return len(r.Down.Nodes) > 0
}
