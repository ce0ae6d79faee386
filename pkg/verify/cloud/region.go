package cloud

import (
	"maps"
	"regexp"
	"slices"
)

var regionPattern = regexp.MustCompile(`^[a-z]{2,4}(?:-[a-z]+)+-\d+`)

// RegionOf returns the region of a zone: us-east-1 for us-east-1a and for local zone
// us-east-1-bos-1a. It returns "" if the name contains no region.
func RegionOf(zone string) string { return regionPattern.FindString(zone) }

// MissedIn returns why an instance of a zone may be unknown although it exists, or "". A zone without
// a region may be in any region.
func (f Facts) MissedIn(zone string) string {
	if region := RegionOf(zone); region != "" {
		return f.Missed[region]
	}
	if missed := slices.Sorted(maps.Keys(f.Missed)); len(missed) > 0 {
		return f.Missed[missed[0]]
	}
	return ""
}
