package migration

import (
	"context"
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
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

// ImageDue says whether every kubelet runs the target and the CCM is still of
// the old minor version: it must not be newer than the API servers, so it
// follows them.
func (m *Migration) ImageDue(ctx context.Context, seen Snapshot) bool {
	ccm, there := seen.Reading.Down.CCMContainer()
	if !there || !seen.AtTarget(m.Options.KubernetesVersion) {
		return false
	}
	image, err := m.chartImage(ctx, seen)
	return err == nil && ccm.Image != image
}

// FollowImage brings the CCM to the cluster's new version once that is due and the
// cluster rests: the last kubelet runs the target before Rancher is done with it.
func (m *Migration) FollowImage(ctx context.Context, tx *runner.Tx, seen Snapshot) error {
	if !m.ImageDue(ctx, seen) || len(seen.Reading.Restless()) > 0 {
		return nil
	}
	return m.ApplyChart(ctx, tx, seen, seen.Reading.ccmEvidence().Migration)
}

// chartImage is the image that the chart would install now.
func (m *Migration) chartImage(ctx context.Context, seen Snapshot) (string, error) {
	_, values, err := m.chartValues(ctx, seen, seen.Reading.ccmEvidence().Migration)
	return values.Image.String(), err
}

// SameVersion says whether a kubelet of one version runs what a distribution
// calls by the other: RKE's kubelets do not tell "-rancher1-1".
func SameVersion(kubelet, version string) bool {
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
		if !SameVersion(nodes[i].Kubelet, version) {
			return false
		}
	}
	return len(nodes) > 0
}
