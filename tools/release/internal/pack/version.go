package pack

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// Version is the version of a release, such as v0.1.0 or v0.1.0-rc.1.
type Version struct {
	tag    string
	parsed *semver.Version
}

// ParseVersion parses a tag that is valid for this module, an image and a chart.
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

// String returns the tag, with its v.
func (v Version) String() string { return v.tag }

// Number returns the version without v, as in charts and image tags.
func (v Version) Number() string { return v.parsed.String() }

// Prerelease reports whether the version is a prerelease, such as v0.1.0-rc.1.
func (v Version) Prerelease() bool { return v.parsed.Prerelease() != "" }
