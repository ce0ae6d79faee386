package component

import (
	"fmt"
	"regexp"
	"strconv"
)

// Version is the part of a Kubernetes or CCM version that rules depend on.
// The zero value means "not known".
type Version struct{ Major, Minor, Patch int }

var versionPattern = regexp.MustCompile(`^v?(\d+)\.(\d+)(?:\.(\d+))?(?:[-+].*)?$`)

// ParseVersion reads "v1.26.13+rke2r1", "1.26", "v1.26.14".
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

// ImageVersion reads the version from an image's tag. A digest without a tag
// and a tag that is no version cannot be read.
func ImageVersion(image string) (Version, error) {
	m := tagPattern.FindStringSubmatch(image)
	if m == nil {
		return Version{}, fmt.Errorf("image %q has no tag that says its version", image)
	}
	return ParseVersion(m[1])
}

// Known says whether there is a version at all.
func (v Version) Known() bool { return v.Major > 0 }

// AtLeast compares with major.minor.
func (v Version) AtLeast(major, minor int) bool {
	return v.Major > major || v.Major == major && v.Minor >= minor
}

// String is "1.26.13".
func (v Version) String() string {
	if !v.Known() {
		return "unknown version"
	}
	return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch)
}
