package component

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
)

// Version is the part of a Kubernetes or CCM version that rules depend on.
// The zero value means that the version is unknown.
type Version struct{ Major, Minor, Patch int }

var versionPattern = regexp.MustCompile(`^v?(\d+)\.(\d+)(?:\.(\d+))?(?:[-+].*)?$`)

// ParseVersion reads "v1.26.13+rke2r1", "v1.26.14", or "1.26" as 1.26.0: a version without a patch
// release promises only what the first one does.
func ParseVersion(s string) (Version, error) {
	m := versionPattern.FindStringSubmatch(s)
	if m == nil || m[1] == "0" { // a binary built without its version says v0.0.0
		return Version{}, fmt.Errorf("version %q cannot be read", s)
	}
	var v Version
	v.Major, _ = strconv.Atoi(m[1])
	v.Minor, _ = strconv.Atoi(m[2])
	v.Patch, _ = strconv.Atoi(m[3])
	return v, nil
}

var tagPattern = regexp.MustCompile(`:([^:/@]+)(?:@[^/]*)?$`)

// ImageVersion reads the version from an image's tag. It returns an error if there is only
// a digest or if the tag is not a version.
func ImageVersion(image string) (Version, error) {
	m := tagPattern.FindStringSubmatch(image)
	if m == nil {
		return Version{}, fmt.Errorf("image %q has no tag with its version", image)
	}
	return ParseVersion(m[1])
}

// Known reports whether the version could be read.
func (v Version) Known() bool { return v.Major > 0 }

// AtLeast reports whether the version is major.minor or later.
func (v Version) AtLeast(major, minor int) bool {
	return v.Major > major || v.Major == major && v.Minor >= minor
}

// anyPatch stands for the last patch release of a minor, whatever its number is.
const anyPatch = 1 << 10

// NextMinor returns the last patch release of the next minor version.
func (v Version) NextMinor() Version { return Version{v.Major, v.Minor + 1, anyPatch} }

// before reports whether the version is earlier than another one.
func (v Version) before(other Version) bool {
	return cmp.Or(cmp.Compare(v.Major, other.Major), cmp.Compare(v.Minor, other.Minor), cmp.Compare(v.Patch, other.Patch)) < 0
}

// String returns "1.26.13", "1.26" for the last patch release, or "unknown version".
func (v Version) String() string {
	switch {
	case !v.Known():
		return "unknown version"
	case v.Patch == anyPatch:
		return fmt.Sprintf("%d.%d", v.Major, v.Minor)
	}
	return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch)
}
