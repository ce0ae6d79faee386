package window

import (
	"fmt"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// What a window may be. The schema of the kind has the same bounds; they are checked
// here because a server that is too old for its rules says nothing.
const (
	MaxWindows  = 14
	MinDuration = 30 * time.Minute
	MaxDuration = 7 * 24 * time.Hour
	maxSchedule = 256 // bytes
	maxTimeZone = 64  // bytes
)

// ReasonBad is of every error of Parse.
const ReasonBad = "BadWindow"

// Spec is a window as somebody wrote it.
type Spec struct {
	Schedule string        // five fields of cron: when it begins
	Duration time.Duration // elapsed time, from MinDuration to MaxDuration
	TimeZone string        // by its IANA name; empty: UTC
}

// Set is the windows of one migration. The zero value has none, and is always open.
type Set struct {
	windows []window
}

// Parse reads windows. An error is a fault.Error of class Usage with ReasonBad; its
// object is the first wrong field, "windows[1].schedule".
func Parse(specs []Spec) (Set, error) {
	if len(specs) > MaxWindows {
		return Set{}, bad("windows", fmt.Sprintf("%d of them", len(specs)), fmt.Sprintf("at most %d", MaxWindows), nil)
	}
	var set Set
	for i, spec := range specs {
		w, err := parse(fmt.Sprintf("windows[%d]", i), spec)
		if err != nil {
			return Set{}, err
		}
		set.windows = append(set.windows, w)
	}
	return set, nil
}

func parse(place string, spec Spec) (window, error) {
	schedule, err := parseSchedule(place+".schedule", spec.Schedule)
	if err != nil {
		return window{}, err
	}
	if spec.Duration < MinDuration || spec.Duration > MaxDuration {
		return window{}, bad(place+".duration", spec.Duration.String(), fmt.Sprintf("%s to %s", short(MinDuration), short(MaxDuration)), nil)
	}
	zone, err := parseZone(place+".timeZone", spec.TimeZone)
	if err != nil {
		return window{}, err
	}
	return window{schedule: schedule, duration: spec.Duration, zone: zone}, nil
}

func parseZone(place, name string) (*time.Location, error) {
	const wanted = "the IANA name of a time zone, such as Europe/Berlin, or nothing for UTC"
	switch {
	case len(name) > maxTimeZone:
		return nil, bad(place, fmt.Sprintf("%d bytes", len(name)), wanted, nil)
	case strings.EqualFold(name, "Local"): // the zone of whatever machine this runs on; CronJob refuses it, too
		return nil, bad(place, fmt.Sprintf("%q", name), wanted, nil)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, bad(place, fmt.Sprintf("%q", name), wanted, err)
	}
	return zone, nil
}

func bad(place, seen, wanted string, cause error) error {
	return &fault.Error{Class: fault.Usage, Reason: ReasonBad, Object: place, Seen: seen, Wanted: wanted, Err: cause}
}

// short is a duration without the units that are zero: 168h, 1h30m.
func short(d time.Duration) string {
	text := d.Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
