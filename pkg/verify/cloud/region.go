package cloud

import (
	"maps"
	"regexp"
	"slices"
)

var regionPattern = regexp.MustCompile(`^[a-z]{2,4}(?:-[a-z]+)+-\d+`)

// RegionOf is the region a zone lies in: us-east-1a is in us-east-1, and so is
// local zone us-east-1-bos-1a. "" when the name does not tell.
func RegionOf(zone string) string { return regionPattern.FindString(zone) }

// MissedIn says why an instance of a zone may be unknown although it exists; ""
// when EC2 answered for it. A zone that tells no region may be in any.
func (f Facts) MissedIn(zone string) string {
	if region := RegionOf(zone); region != "" {
		return f.Missed[region]
	}
	if missed := slices.Sorted(maps.Keys(f.Missed)); len(missed) > 0 {
		return f.Missed[missed[0]]
	}
	return ""
}
