package config

import (
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// behavior is a property of RKE2 that only some releases have.
type behavior string

const (
	// passesAWS passes cloud-provider-name aws on to a kube-apiserver that refuses it.
	passesAWS behavior = "passes aws on"
	// validatesProvider has a kube-apiserver that refuses aws, and refuses external with
	// some feature gates.
	validatesProvider behavior = "validates the provider"
	// lacksProviderFlag has a kube-apiserver without the flag, which RKE2 no longer gives it.
	lacksProviderFlag behavior = "lacks the provider flag"
	// namesByMetadata names the Node of a machine with aws by its metadata service, also
	// if the machine has a node-name.
	namesByMetadata behavior = "names by metadata"
	// startsOwnController starts RKE2's own cloud controller next to a provider name.
	startsOwnController behavior = "starts its own cloud controller"
	// refusesProfile, followed by a value of KeyProfile, exits at that value.
	refusesProfile behavior = "refuses profile "
)

// releaseRange is a range of RKE2 releases with one behavior.
type releaseRange struct {
	behavior behavior
	// from is the first release. -0 sorts before every candidate of a release.
	from string
	// before is the first release or candidate after the range, or empty if the range is open.
	before string
	// last and next are the releases around the end of the range, or empty.
	last, next string
}

// releaseRanges returns the whole table. Each bound was read in every tag of rancher/rke2 up to
// v1.36.3+rke2r1, and in the candidates around it: pkg/rke2/rke2_linux.go and rke2.go;
// pkg/podexecutor/staticpod.go, from v1.34 on pkg/executor/staticpod/staticpod.go;
// pkg/cli/cmds/profile_linux.go. Rules of kube-apiserver are
// kubernetes/kubernetes:pkg/kubeapiserver/options/cloudprovider.go@v1.28.15, v1.29.10, v1.30.6,
// v1.32.9; v1.33.13 has no such file.
func releaseRanges() []releaseRange {
	return []releaseRange{
		{passesAWS, "1.29.0-0", "1.29.11-rc1", "v1.29.10", "v1.29.11"},
		{passesAWS, "1.30.0-0", "1.30.7-rc2", "v1.30.6", "v1.30.7"},
		{passesAWS, "1.31.0-0", "1.31.3-rc2", "v1.31.2", "v1.31.3"},

		{validatesProvider, "1.29.0-0", "1.33.0-0", "", ""},
		{lacksProviderFlag, "1.33.0-0", "", "", ""},

		{namesByMetadata, "1.29.11-rc1", "1.30.0-0", "", ""},
		{namesByMetadata, "1.30.7-rc2", "1.31.0-0", "", ""},
		{namesByMetadata, "1.31.3-rc2", "", "", ""},

		{startsOwnController, "1.36.0", "", "", ""}, // its three candidates do not

		// From 1.30 on isCISMode exits at cis-1.23, up to the release in which
		// validateProfile takes over.
		{refusesProfile + "cis-1.5", "1.25.0-0", "", "", ""},
		{refusesProfile + "cis-1.6", "1.25.0-0", "", "", ""},
		{refusesProfile + "cis-1.23", "0.0.0", "1.25.0-0", "", ""},
		{refusesProfile + "cis-1.23", "1.30.0-0", "", "", ""},
		{refusesProfile + "cis", "0.0.0", "1.25.15-rc1", "", "v1.25.15"},
		{refusesProfile + "cis", "1.26.0-0", "1.26.10-rc1", "", "v1.26.10"},
		{refusesProfile + "cis", "1.27.0-0", "1.27.7-rc1", "", "v1.27.7"},
		{refusesProfile + "cis", "1.28.0-0", "1.28.2-rc1", "", "v1.28.2"},
		{refusesProfile + "etcd", "0.0.0", "1.30.14-rc1", "", "v1.30.14"},
		{refusesProfile + "etcd", "1.31.0-0", "1.31.10-rc1", "", "v1.31.10"},
		{refusesProfile + "etcd", "1.32.0-0", "1.32.6-rc1", "", "v1.32.6"},
		{refusesProfile + "etcd", "1.33.0-0", "1.33.2-rc1", "", "v1.33.2"},
	}
}

// holds reports whether a version has the behavior.
func (b behavior) holds(version string) bool {
	_, in := b.rangeOf(version)
	return in
}

// rangeOf returns the range of the behavior that a version is in.
func (b behavior) rangeOf(version string) (releaseRange, bool) {
	v, err := semver.NewVersion(version)
	if err != nil {
		return releaseRange{}, false
	}
	for _, r := range releaseRanges() {
		if r.behavior == b && !v.LessThan(semver.MustParse(r.from)) && !r.endsBy(v) {
			return r, true
		}
	}
	return releaseRange{}, false
}

// Behaviors returns a key that is equal for releases that behave alike: the places of the table
// that they are in.
func Behaviors(version string) string {
	v, err := semver.NewVersion(version)
	if err != nil {
		return ""
	}
	var in []string
	for i, r := range releaseRanges() {
		if !v.LessThan(semver.MustParse(r.from)) && !r.endsBy(v) {
			in = append(in, strconv.Itoa(i))
		}
	}
	return strings.Join(in, " ")
}

// ahead returns the ranges of the behavior that do not end by a version.
func (b behavior) ahead(version string) []releaseRange {
	v, err := semver.NewVersion(version)
	if err != nil {
		return nil
	}
	var found []releaseRange
	for _, r := range releaseRanges() {
		if r.behavior == b && !r.endsBy(v) {
			found = append(found, r)
		}
	}
	return found
}

// endsBy reports whether the range ends at or before a version.
func (r releaseRange) endsBy(v *semver.Version) bool {
	return r.before != "" && !v.LessThan(semver.MustParse(r.before))
}

// first returns the first release of the range, as RKE2 writes it.
func (r releaseRange) first() string { return "v" + strings.TrimSuffix(r.from, "-0") }

// NamesByMetadata reports whether RKE2 of a version names a machine with aws by its metadata
// service, whatever its node-name.
func NamesByMetadata(version string) bool { return namesByMetadata.holds(version) }

// StartsOwnController reports whether a server of a version starts RKE2's own cloud controller
// next to a provider name, unless KeyDisableCCM is true.
func StartsOwnController(version string) bool { return startsOwnController.holds(version) }

// ProfileRefused reports whether RKE2 of a version exits at a profile. If a later release of
// that minor knows the profile, next names the first one.
func ProfileRefused(profile, version string) (refused bool, next string) {
	r, refused := (refusesProfile + behavior(profile)).rangeOf(version)
	return refused, r.next
}

// ProfileEnds returns the first release after a version from which on every release exits at a
// profile, or "".
func ProfileEnds(profile, version string) string {
	for _, r := range (refusesProfile + behavior(profile)).ahead(version) {
		if r.before == "" {
			return r.first()
		}
	}
	return ""
}

// NamedByMetadataFrom names the releases after a version from which on RKE2 names a machine with
// aws by its metadata service.
func NamedByMetadataFrom(version string) string {
	var names []string
	for _, r := range namesByMetadata.ahead(version) {
		release, _, _ := strings.Cut(r.first(), "-")
		names = append(names, release)
	}
	return strings.Join(names, ", ")
}
