package rke2checks

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// knownRelease describes a range of RKE2 patch releases of one minor version, and the Rancher
// versions whose release data includes them.
type knownRelease struct {
	minor, patch uint64 // first patch release; the range ends at the next row of the minor
	oldest       string // oldest Rancher version
	newest       uint64 // newest minor version of Rancher 2, or 0 if unknown
}

// knownReleases returns minChannelServerVersion and maxChannelServerVersion of the releases
// (rancher/kontainer-driver-metadata:channels-rke2.yaml@7c2ba528, 8f9a33aa, #1361, #1796). Those data end
// in October 2024. For later minor versions a row holds the Rancher whose local cluster may first
// run them (rancher/rancher:chart/Chart.yaml@v2.10.0 to v2.15.0); Rancher 2.15 dropped 1.33. A minor
// version without a row is unknown.
func knownReleases() []knownRelease {
	return []knownRelease{
		{22, 0, "2.6.3", 6},
		{23, 0, "2.6.4", 6}, {23, 9, "2.6.4", 7},
		{24, 0, "2.6.7", 6}, {24, 3, "2.6.7", 7},
		{25, 0, "2.7.2", 7}, {25, 13, "2.7.2", 8},
		{26, 0, "2.7.5", 7}, {26, 8, "2.7.5", 8},
		{27, 0, "2.7.11", 9},
		{28, 0, "2.8.3", 9}, {28, 14, "2.8.3", 10},
		{29, 0, "2.9.0", 9}, {29, 9, "2.9.0", 10},
		{30, 0, "2.9.0", 9}, {30, 5, "2.9.0", 10}, {30, 14, "2.9.0", 11},
		{31, 0, "2.10.0", 0}, {32, 0, "2.11.0", 0}, {33, 0, "2.12.0", 14}, {34, 0, "2.13.0", 0},
		{36, 0, "2.15.0", 0},
	}
}

// findRelease returns the row of a release, or false if it is unknown.
func findRelease(kubernetes *semver.Version) (knownRelease, bool) {
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
	return rancher.Major() == 2 && (r.newest == 0 || rancher.Minor() <= r.newest) && !released.LessThan(oldest)
}

func (r knownRelease) String() string {
	if r.newest == 0 {
		return fmt.Sprintf("v%s or later", r.oldest)
	}
	return fmt.Sprintf("v%s to v2.%d", r.oldest, r.newest)
}

// supportOf returns the row of a release, or the zero value.
func supportOf(release string) knownRelease {
	kubernetes, err := semver.NewVersion(strings.TrimPrefix(release, "v"))
	if err != nil {
		return knownRelease{}
	}
	row, _ := findRelease(kubernetes)
	return row
}

// RancherFor returns the Rancher versions that know an RKE2 release, or "" if they are unknown.
func RancherFor(release string) string {
	if row := supportOf(release); row != (knownRelease{}) {
		return row.String()
	}
	return ""
}

// judgeKnown returns a warning if Rancher's version is known not to offer a release.
func judgeKnown(p Prepared, release string) []verify.Finding {
	row := supportOf(release)
	version, err := semver.NewVersion(strings.TrimPrefix(p.Rancher.Value, "v"))
	if row == (knownRelease{}) || !p.Rancher.OK() || err != nil || row.has(version) {
		return nil
	}
	return []verify.Finding{verify.Warning("Rancher "+p.Rancher.Value, "does not offer "+release, "Rancher "+row.String(), "take this step with such a Rancher")}
}

// judgeSupport returns a warning if Rancher's release data lacks the cluster's release. Such a
// Rancher still rolls edits out: for an unknown release it uses the arguments of all known
// releases together (rancher/rancher:pkg/channelserver/channelserver.go@v2.7.15, v2.8.5,
// v2.9.3, v2.12.3 and v2.15.0, GetReleaseConfigByRuntimeAndVersion), which include every key
// that a migration edits. Only a Rancher without any release data waits, and reports it in its
// conditions (pkg/capr/common.go@v2.9.3, GetKDMReleaseData;
// pkg/capr/planner/planner.go@v2.9.3, Process).
func judgeSupport(rancher verify.Read[string], release string) []verify.Finding {
	kubernetes, err := semver.NewVersion(strings.TrimPrefix(release, "v"))
	if err != nil {
		return nil // AWSM-101 reports it
	}
	row, found := findRelease(kubernetes)
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
		"does not support "+release+": it uses the arguments of the releases that it knows, which include every key of a migration",
		wanted, "the migration needs no change; to stay supported, migrate with a Rancher version that has this release")}
}
