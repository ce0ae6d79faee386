package rke2checks

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// knownRelease is a run of RKE2 patch releases of one minor and the Rancher
// versions whose release data has them.
type knownRelease struct {
	minor, patch uint64 // from this patch release on, until the next row of the minor
	oldest       string // Rancher
	newest       uint64 // minor of Rancher 2
}

// knownReleases are minChannelServerVersion and maxChannelServerVersion of the
// releases with an in-tree provider
// (rancher/kontainer-driver-metadata:channels-rke2.yaml@7c2ba528).
func knownReleases() []knownRelease {
	return []knownRelease{
		{22, 0, "2.6.3", 6},
		{23, 0, "2.6.4", 6}, {23, 9, "2.6.4", 7},
		{24, 0, "2.6.7", 6}, {24, 3, "2.6.7", 7},
		{25, 0, "2.7.2", 7}, {25, 13, "2.7.2", 8},
		{26, 0, "2.7.5", 7}, {26, 8, "2.7.5", 8},
	}
}

// knownIn is the row of a release, false for one whose row is not known.
func knownIn(kubernetes *semver.Version) (knownRelease, bool) {
	var row knownRelease
	found := false
	for _, r := range knownReleases() {
		if kubernetes.Major() == 1 && kubernetes.Minor() == r.minor && kubernetes.Patch() >= r.patch {
			row, found = r, true
		}
	}
	return row, found
}

func (r knownRelease) has(rancher *semver.Version) bool {
	oldest := semver.MustParse(r.oldest)
	released := semver.New(rancher.Major(), rancher.Minor(), rancher.Patch(), "", "")
	return rancher.Major() == 2 && rancher.Minor() <= r.newest && !released.LessThan(oldest)
}

func (r knownRelease) String() string { return fmt.Sprintf("v%s to v2.%d", r.oldest, r.newest) }

// unsupported warns of a Rancher whose release data lacks the cluster's release.
// Such a Rancher rolls edits out as any other: for a release that it does not know
// it takes the arguments of all releases that it knows together
// (rancher/rancher:pkg/channelserver/channelserver.go@v2.7.15, v2.8.5, v2.9.3,
// v2.12.3 and v2.15.0, GetReleaseConfigByRuntimeAndVersion), and those have every
// key that a migration edits. Only one that could load no release data at all
// waits, and says so in its conditions (pkg/capr/common.go@v2.9.3,
// GetKDMReleaseData; pkg/capr/planner/planner.go@v2.9.3, Process).
func unsupported(rancher verify.Read[string], release string) []verify.Finding {
	kubernetes, err := semver.NewVersion(strings.TrimPrefix(release, "v"))
	if err != nil {
		return nil // AWSM-101 has it
	}
	row, found := knownIn(kubernetes)
	if !found {
		return nil
	}
	wanted := "Rancher " + row.String() + " for " + release
	if !rancher.OK() {
		return []verify.Finding{verify.Warning("Setting server-version", "Rancher's version could not be read", wanted, "")}
	}
	version, err := semver.NewVersion(strings.TrimPrefix(rancher.Value, "v"))
	switch {
	case err != nil:
		return []verify.Finding{verify.Warning("Rancher "+rancher.Value, "is no released version: whether it supports "+release+" is not known", wanted, "")}
	case row.has(version):
		return nil
	}
	return []verify.Finding{verify.Warning("Rancher "+rancher.Value,
		"does not support "+release+": it rolls edits out by the arguments of the releases that it knows, which have all that a migration edits",
		wanted, "nothing has to be done for the migration; for support by Rancher's makers, migrate with a version that has this release")}
}
