package window

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

const fiveFields = "five fields of cron: minute, hour, day of the month, month of the year, day of the week"

// field is what every cron reads alike, save for the numbers and names in it.
var field = regexp.MustCompile(`^` + part + `(?:,` + part + `)*$`)

const part = `(?:[*?]|[0-9A-Za-z]+(?:-[0-9A-Za-z]+)?)(?:/[0-9]+)?`

// parseSchedule reads a schedule for a clock that never changes: the library gets times
// in UTC and answers in UTC, and what they mean is the caller's business.
func parseSchedule(place, text string) (cron.Schedule, error) {
	if len(text) > maxSchedule {
		return nil, bad(place, fmt.Sprintf("%d bytes", len(text)), fmt.Sprintf("%s, in at most %d bytes", fiveFields, maxSchedule), nil)
	}
	seen := fmt.Sprintf("%q", text)
	fields := strings.Fields(text)
	if len(fields) != 5 {
		return nil, bad(place, seen, fiveFields+"; no @daily, no seconds, no time zone", nil)
	}
	for _, f := range fields {
		if !field.MatchString(f) {
			return nil, bad(place, seen, fmt.Sprintf("%s; %q is none", fiveFields, f), nil)
		}
	}
	if ambiguous(fields[2], fields[4]) {
		return nil, bad(place, seen, "days that every cron reads alike: write those of a step out, or restrict one of day of month and day of week alone", nil)
	}
	schedule, err := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow).Parse(strings.Join(fields, " "))
	if err != nil {
		return nil, bad(place, seen, fiveFields, err)
	}
	if spec, is := schedule.(*cron.SpecSchedule); is {
		spec.Location = time.UTC
	}
	return schedule, everyYear(place, seen, schedule)
}

// ambiguous says whether crons disagree on what two day fields come to. With a star that
// is more than a star in one of them, some let either field decide and some want both.
func ambiguous(month, week string) bool {
	return starred(month) && !star(week) || starred(week) && !star(month)
}

func star(f string) bool { return f == "*" || f == "?" }

func starred(f string) bool { return !star(f) && strings.ContainsAny(f, "*?") }

// everyYear refuses a schedule that names no day of an ordinary year. The days that one
// can name are those of any other ordinary year: a weekday alone is in every month, and a
// date beside a weekday only adds to it. The library gives up after five years.
func everyYear(place, seen string, schedule cron.Schedule) error {
	const ordinary = 2001
	first := schedule.Next(time.Date(ordinary, time.January, 1, 0, 0, 0, -1, time.UTC))
	switch {
	case first.IsZero():
		return bad(place, seen+", which never comes", "a day that is in the calendar", nil)
	case first.Year() > ordinary:
		return bad(place, seen+", which comes in leap years alone", "a day of every year", nil)
	}
	return nil
}
