package window

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

const fiveFields = "five fields of cron: minute, hour, day of the month, month of the year, day of the week"

// field matches the syntax that all crons read alike; it does not check numbers and names.
var field = regexp.MustCompile(`^` + part + `(?:,` + part + `)*$`)

const part = `(?:[*?]|[0-9A-Za-z]+(?:-[0-9A-Za-z]+)?)(?:/[0-9]+)?`

// parseSchedule parses a schedule for a clock without changes. Its library receives and returns
// times in UTC; the caller converts them.
func parseSchedule(place, text string) (cron.Schedule, error) {
	if len(text) > maxSchedule {
		return nil, badFault(place, fmt.Sprintf("%d bytes", len(text)), fmt.Sprintf("%s, in at most %d bytes", fiveFields, maxSchedule), nil)
	}
	seen := fmt.Sprintf("%q", text)
	fields := strings.Fields(text)
	if len(fields) != 5 {
		return nil, badFault(place, seen, fiveFields+"; no @daily, no seconds, no time zone", nil)
	}
	for _, f := range fields {
		if !field.MatchString(f) {
			return nil, badFault(place, seen, fmt.Sprintf("%s; %q is none", fiveFields, f), nil)
		}
	}
	if ambiguous(fields[2], fields[4]) {
		return nil, badFault(place, seen, "days that every cron reads alike: write those of a step out, or restrict one of day of month and day of week alone", nil)
	}
	schedule, err := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow).Parse(strings.Join(fields, " "))
	if err != nil {
		return nil, badFault(place, seen, fiveFields, err)
	}
	if spec, is := schedule.(*cron.SpecSchedule); is {
		spec.Location = time.UTC
	}
	return schedule, everyYear(place, seen, schedule)
}

// ambiguous reports whether crons disagree about two day fields. If one contains a star and
// something else, some crons require one match and some require both.
func ambiguous(month, week string) bool {
	return hasStar(month) && !isStar(week) || hasStar(week) && !isStar(month)
}

func isStar(f string) bool { return f == "*" || f == "?" }

func hasStar(f string) bool { return !isStar(f) && strings.ContainsAny(f, "*?") }

// everyYear returns an error if a schedule names no day of an ordinary year. One ordinary year
// represents all: a weekday occurs in every month, and a date next to a weekday only adds days.
// The library gives up after five years.
func everyYear(place, seen string, schedule cron.Schedule) error {
	const ordinary = 2001
	first := schedule.Next(time.Date(ordinary, time.January, 1, 0, 0, 0, -1, time.UTC))
	switch {
	case first.IsZero():
		return badFault(place, seen+", which never comes", "a day that is in the calendar", nil)
	case first.Year() > ordinary:
		return badFault(place, seen+", which comes in leap years alone", "a day of every year", nil)
	}
	return nil
}
