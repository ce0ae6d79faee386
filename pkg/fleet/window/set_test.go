package window_test

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fleet/window"
)

const (
	berlin   = "Europe/Berlin"
	lordHowe = "Australia/Lord_Howe"
)

func spec(schedule string, duration time.Duration, zone string) window.Spec {
	return window.Spec{Schedule: schedule, Duration: duration, TimeZone: zone}
}

func parsed(t testing.TB, specs ...window.Spec) window.Set {
	t.Helper()
	set, err := window.Parse(specs)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// utc parses times like 2025-03-29T21:00; "" is the zero time.
func utc(t testing.TB, text string) time.Time {
	t.Helper()
	if text == "" {
		return time.Time{}
	}
	at, err := time.Parse("2006-01-02T15:04", text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestAt(t *testing.T) {
	const half = 30 * time.Minute
	week := []window.Spec{spec("0 22 * * 6", 4*time.Hour, berlin)}
	days := []window.Spec{spec("59 23 * * 1-4", half, "")} // Monday to Thursday
	for _, c := range []struct {
		name          string
		windows       []window.Spec
		now           string // in UTC
		closes, opens string
		shut          bool
	}{
		{"none configured", nil, "2025-01-01T00:00", "", "", false},
		{"before it", week, "2025-01-04T20:59", "", "2025-01-04T21:00", true},
		{"its first moment", week, "2025-01-04T21:00", "2025-01-05T01:00", "2025-01-11T21:00", false},
		{"the next day", week, "2025-01-05T00:59", "2025-01-05T01:00", "2025-01-11T21:00", false},
		{"its end is outside", week, "2025-01-05T01:00", "", "2025-01-11T21:00", true},
		{"midnight behind a day that is named", days, "2025-01-03T00:00", "2025-01-03T00:29", "2025-01-06T23:59", false},
		{"midnight before a day that is named", days, "2025-01-06T00:00", "", "2025-01-06T23:59", true},
		{"across New Year", []window.Spec{spec("0 23 31 12 *", 2*time.Hour, "")}, "2026-01-01T00:30", "2026-01-01T01:00", "2026-12-31T23:00", false},
		{"begun a week ago", []window.Spec{spec("0 0 1 * *", 168*time.Hour, "")}, "2025-05-07T23:59", "2025-05-08T00:00", "2025-06-01T00:00", false},
		{"either day of month or weekday", []window.Spec{spec("0 0 13 * 5", time.Hour, "")}, "2025-01-10T02:00", "", "2025-01-13T00:00", true},
		{"half an hour off", []window.Spec{spec("0 22 * * *", time.Hour, "Asia/Kolkata")}, "2025-01-01T16:30", "2025-01-01T17:30", "2025-01-02T16:30", false},

		{"two that overlap", []window.Spec{spec("0 22 * * *", 2*time.Hour, ""), spec("0 23 * * *", 3*time.Hour, "")},
			"2025-01-01T22:30", "2025-01-02T02:00", "2025-01-02T22:00", false},
		{"two that touch", []window.Spec{spec("0 0 * * *", time.Hour, ""), spec("0 22 * * *", 2*time.Hour, "")},
			"2025-01-01T22:30", "2025-01-02T01:00", "2025-01-02T22:00", false},
		{"a minute between two", []window.Spec{spec("1 0 * * *", time.Hour, ""), spec("0 22 * * *", 2*time.Hour, "")},
			"2025-01-01T22:30", "2025-01-02T00:00", "2025-01-02T00:01", false},
		{"of two zones", []window.Spec{spec("0 22 * * *", time.Hour, "Europe/London"), spec("0 22 * * *", time.Hour, berlin)},
			"2025-01-01T21:30", "2025-01-01T23:00", "2025-01-02T21:00", false},
		{"one inside the other", []window.Spec{spec("0 1 * * *", half, ""), spec("0 0 * * *", 3*time.Hour, "")},
			"2025-01-01T01:10", "2025-01-01T03:00", "2025-01-02T00:00", false},
		{"one after the other for ever", []window.Spec{spec("0 0 * * *", 24*time.Hour, "")}, "2025-01-01T12:00", "", "", false},
		{"each minute", []window.Spec{spec("* * * * *", 168*time.Hour, berlin)}, "2025-01-01T12:00", "", "", false},
		{"each minute of a day", []window.Spec{spec("* * * * 1", 30*time.Minute, "")}, "2025-01-06T12:00", "2025-01-07T00:29", "2025-01-13T00:00", false},

		{"an hour that is lost", []window.Spec{spec("30 2 * * *", time.Hour, berlin)}, "2025-03-29T12:00", "", "2025-03-31T00:30", true},
		{"open while it is lost", []window.Spec{spec("0 22 * * 6", 6*time.Hour, berlin)}, "2025-03-30T01:30", "2025-03-30T03:00", "2025-04-05T20:00", false},
		{"an hour that comes twice", []window.Spec{spec("30 2 * * *", half, berlin)}, "2025-10-26T00:45", "2025-10-26T01:00", "2025-10-26T01:30", false},
		{"its second coming", []window.Spec{spec("30 2 * * *", half, berlin)}, "2025-10-26T01:45", "2025-10-26T02:00", "2025-10-27T01:30", false},
		{"twice in one", []window.Spec{spec("30 2 * * *", time.Hour, berlin)}, "2025-10-26T00:30", "2025-10-26T02:30", "2025-10-27T01:30", false},
		{"the day of 25 hours", []window.Spec{spec("0 0 * * *", 24*time.Hour, berlin)}, "2025-10-26T12:00", "2025-10-26T22:00", "2025-10-26T23:00", false},
		{"the year has no such minute", []window.Spec{spec("30 2 30 3 *", time.Hour, berlin)}, "2024-04-01T00:00", "", "", true},

		{"half an hour that is lost", []window.Spec{spec("0 2 * * *", half, lordHowe)}, "2025-10-04T12:00", "", "2025-10-05T15:00", true},
		{"behind the lost half hour", []window.Spec{spec("30 2 * * *", half, lordHowe)}, "2025-10-04T12:00", "", "2025-10-04T15:30", true},
		{"half an hour that comes twice", []window.Spec{spec("30 1 * * *", half, lordHowe)}, "2025-04-05T14:30", "2025-04-05T15:30", "2025-04-06T15:00", false},
		{"behind the repeated half hour", []window.Spec{spec("0 2 * * *", half, lordHowe)}, "2025-04-05T12:00", "", "2025-04-05T15:30", true},
		{"Ramadan", []window.Spec{spec("30 2 * * *", half, "Africa/Casablanca")}, "2025-02-23T01:40", "2025-02-23T02:00", "2025-02-23T02:30", false},
		{"the last day of a leap year, by rule", []window.Spec{spec("0 22 * * *", time.Hour, berlin)}, "2040-12-31T21:30", "2040-12-31T22:00", "2041-01-01T21:00", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := window.State{Open: !c.shut, Closes: utc(t, c.closes), Opens: utc(t, c.opens)}
			if got := parsed(t, c.windows...).At(utc(t, c.now)); got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

// Equal times in different zones give equal results, in UTC.
func TestFits_nowInAnyZone_isEqual(t *testing.T) {
	set, now := parsed(t, spec("0 22 * * 6", 4*time.Hour, berlin)), utc(t, "2025-01-04T21:30")
	there := now.In(time.FixedZone("there", -9*3600))
	if got, want := set.At(there), set.At(now); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := set.Fits(there, time.Hour), set.Fits(now, time.Hour); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
