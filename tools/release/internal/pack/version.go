package pack

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// Version is that of a release, such as v0.1.0 or v0.1.0-rc.1.
type Version struct {
	tag    string
	parsed *semver.Version
}

// ParseVersion takes what can be a tag of this module, of an image and of a chart.
func ParseVersion(tag string) (Version, error) {
	v, err := semver.StrictNewVersion(strings.TrimPrefix(tag, "v"))
	switch {
	case err != nil || !strings.HasPrefix(tag, "v"):
		return Version{}, fmt.Errorf("version %q: wanted one such as v0.1.0 or v0.1.0-rc.1", tag)
	case v.Metadata() != "":
		return Version{}, fmt.Errorf("version %q: an image's tag has no %q", tag, "+")
	case v.Major() > 1:
		return Version{}, fmt.Errorf("version %q: the path in go.mod is that of v0 and v1", tag)
	}
	return Version{tag: tag, parsed: v}, nil
}

// String is the tag, with its v.
func (v Version) String() string { return v.tag }

// Number is the version without v, as charts and image tags have it.
func (v Version) Number() string { return v.parsed.String() }

// Prerelease says whether the version is one before a release, such as v0.1.0-rc.1.
func (v Version) Prerelease() bool { return v.parsed.Prerelease() != "" }
