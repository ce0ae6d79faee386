package upgradepath

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// releasesOf returns the known releases of a distribution, oldest first.
func releasesOf(d wellknown.Distribution) []string {
	if d == wellknown.RKE {
		return slices.Clone(rkeReleases)
	}
	var all []string
	for _, row := range rke2Releases {
		for patch := range strings.FieldsSeq(row.patches) {
			number, revision, again := strings.Cut(patch, "r")
			if !again {
				revision = "1"
			}
			all = append(all, row.minor+"."+number+"+rke2r"+revision)
		}
	}
	return all
}

// rke2Releases holds the final patch releases of each minor version, with the last revision if
// it is not the first (tags of rancher/rke2, read in November 2026).
var rke2Releases = []struct{ minor, patches string }{ //nolint:gochecknoglobals // a constant table
	{"v1.22", "3 4r2 5r2 6 7r2 8 9r2 10r2 11 12 13 15r2 16 17"},
	{"v1.23", "1r2 3 4r2 5 6r2 7r2 8 9 10 12 13 14 15 16 17"},
	{"v1.24", "1r2 2 3 4 6 7 8 9r2 10 11 12 13 14 15 16 17"},
	{"v1.25", "0 2 3 4 5r2 6 7 8 9 10 11 12 13 14 15r2 16r2"},
	{"v1.26", "0r2 1 2 3 4 5 6 7 8 9 10r2 11 12 13 14 15"},
	{"v1.27", "1 2 3 4 5 6 7r2 8 9 10 11 12 13 14 15 16r2"},
	{"v1.28", "1 2 3r2 4 5 6 7 8 9 10 11 12 13 14 15"},
	{"v1.29", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"},
	{"v1.30", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14r4"},
	{"v1.31", "0 1r2 2 3 4 5 6 7 8 9 10 11 12 13 14r2"},
	{"v1.32", "0 1 2 3 4 5 6 7 8 9 10 11r3 12 13r2"},
	{"v1.33", "0 1 2 3 4 5 6 7r3 8 9 10r3 11 12r2 13r2"},
	{"v1.34", "1 2 3r3 4 5 6r3 7 8r2 9 10"},
	{"v1.35", "0r3 1 2 3r3 4 5r2 6 7"},
	{"v1.36", "0 1r2 2 3"},
}

// rkeReleases holds the last known release of each minor version: up to 1.29 those of
// rancher/kontainer-driver-metadata:pkg/rke/k8s_rke_system_images.go@8f9a33aa, and after it those
// of the last rke, v1.8.14. The suffix of the latter is in `rke config --list-version --all`.
var rkeReleases = []string{ //nolint:gochecknoglobals // a constant table
	"v1.22.17-rancher1-2", "v1.23.16-rancher2-3", "v1.24.17-rancher1-1", "v1.25.16-rancher2-3", "v1.26.15-rancher1-1",
	"v1.27.16-rancher1-1", "v1.28.14-rancher1-1", "v1.29.9-rancher1-1", "v1.30.14", "v1.31.14", "v1.32.13",
}

// ProgramsOfRKE returns the versions of rke that know a release, or "" if they are unknown
// (rancher/rke:data/data.json@v1.8.0, K8sVersionInfo). A later rke still upgrades to a release
// that it no longer offers.
func ProgramsOfRKE(release string) string {
	v, err := component.ParseVersion(release)
	if err != nil || v.Major != 1 {
		return ""
	}
	return map[int]string{
		23: "v1.3.8 to v1.4", 24: "v1.3.13 to v1.4", 25: "v1.4.0 to v1.5", 26: "v1.4.0 to v1.5", 27: "v1.5.0 to v1.6",
		28: "v1.5.0 to v1.7", 29: "v1.6.0 to v1.7", 30: "v1.6.0 or later", 31: "v1.7.0 or later", 32: "v1.8.0 or later",
	}[v.Minor]
}
