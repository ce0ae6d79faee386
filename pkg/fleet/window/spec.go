package window

import (
	"fmt"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Limits of windows. The CRD schema has the same limits. They are checked here too, because old
// API servers ignore its rules.
const (
	MaxWindows  = 14
	MinDuration = 30 * time.Minute
	MaxDuration = 7 * 24 * time.Hour
	maxSchedule = 256 // bytes
	maxTimeZone = 64  // bytes
)

// ReasonBad is the reason of all Parse errors.
const ReasonBad = "BadWindow"

// Spec describes a window as the user wrote it.
type Spec struct {
	Schedule string        // five cron fields: when it begins
	Duration time.Duration // IANA name; empty means UTC
	TimeZone string        // by its IANA name; empty: UTC
}

// Set holds the windows of one migration. The zero value has none and is always open.
type Set struct {
	windows []window
}

// Parse parses windows. An error is a fault.Error of class Usage with ReasonBad; its object is
// the first invalid field, such as "windows[1].schedule".
func Parse(specs []Spec) (Set, error) {
	if len(specs) > MaxWindows {
		return Set{}, badFault("windows", fmt.Sprintf("%d of them", len(specs)), fmt.Sprintf("at most %d", MaxWindows), nil)
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
		return window{}, badFault(place+".duration", spec.Duration.String(), fmt.Sprintf("%s to %s", short(MinDuration), short(MaxDuration)), nil)
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
		return nil, badFault(place, fmt.Sprintf("%d bytes", len(name)), wanted, nil)
	case strings.EqualFold(name, "Local"): // the zone of the machine that runs this; CronJob refuses it too
		return nil, badFault(place, fmt.Sprintf("%q", name), wanted, nil)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, badFault(place, fmt.Sprintf("%q", name), wanted, err)
	}
	return zone, nil
}

func badFault(place, seen, wanted string, cause error) error {
	return &fault.Error{Class: fault.Usage, Reason: ReasonBad, Object: place, Seen: seen, Wanted: wanted, Err: cause}
}

// short formats a duration without zero units: 168h, 1h30m.
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
