package window_test

import (
	"math"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/window"
)

func TestFits(t *testing.T) {
	week := []window.Spec{spec("0 22 * * 6", 4*time.Hour, "")}
	both := append([]window.Spec{spec("0 20 1 * *", 8*time.Hour, "")}, week...)
	for _, c := range []struct {
		name    string
		windows []window.Spec
		now     string
		planned time.Duration
		begin   string // "" is never
	}{
		{"none configured", nil, "2025-01-01T00:00", 1000 * time.Hour, "2025-01-01T00:00"},
		{"half of a window", week, "2025-01-04T22:00", 2 * time.Hour, "2025-01-04T22:00"},
		{"more than half of the rest", week, "2025-01-04T22:01", 2 * time.Hour, "2025-01-11T22:00"},
		{"half of the rest", week, "2025-01-05T01:00", 30 * time.Minute, "2025-01-05T01:00"},
		{"past midnight", week, "2025-01-05T00:30", 45 * time.Minute, "2025-01-05T00:30"},
		{"shut", week, "2025-01-05T02:00", time.Minute, "2025-01-11T22:00"},
		{"nothing to do, and shut", week, "2025-01-05T02:00", 0, "2025-01-11T22:00"},
		{"more than half of any", week, "2025-01-04T22:00", 2*time.Hour + 1, ""},
		{"only in the longer one", both, "2025-01-04T22:00", 3 * time.Hour, "2025-02-01T20:00"},
		{"where two are one", both, "2025-01-31T00:00", 4 * time.Hour, "2025-02-01T20:00"},
		{"longer than any plan", []window.Spec{spec("* * * * *", time.Hour, "")}, "2025-01-01T00:00", math.MaxInt64, ""},
		{"open for ever", []window.Spec{spec("* * * * *", time.Hour, "")}, "2025-01-01T00:00", 150 * 24 * time.Hour, "2025-01-01T00:00"},
		{"the day of 25 hours", []window.Spec{spec("0 0 * * *", 24*time.Hour, berlin)}, "2025-10-26T12:00", 6 * time.Hour, "2025-10-26T23:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := utc(t, c.now)
			got := parsed(t, c.windows...).Fits(now, c.planned)
			if want := utc(t, c.begin); !got.Begin.Equal(want) || got.Now != want.Equal(now) {
				t.Errorf("got %+v, want %s", got, want)
			}
			if err := got.Err(); (err != nil) != (c.begin == "") {
				t.Errorf("%+v: %v", got, err)
			}
		})
	}
}

func TestErr(t *testing.T) {
	for _, c := range []struct {
		name    string
		windows window.Spec
		now     string
		want    string
	}{
		{"each too short", spec("0 22 * * 6", 2*time.Hour, berlin), "2025-01-04T22:30",
			"windows: the longest within 400 days is 2h, from 2025-01-11T21:00:00Z; wanted one of 3h30m: the planned 1h45m, doubled; lengthen a window, or let one follow another without a gap"},
		{"none opens", spec("30 2 30 3 *", 2*time.Hour, berlin), "2024-04-01T00:00",
			"windows: none opens within 400 days; wanted one of 3h30m: the planned 1h45m, doubled; lengthen a window, or let one follow another without a gap"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := parsed(t, c.windows).Fits(utc(t, c.now), 105*time.Minute).Err()
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if fault.ClassOf(err) != fault.Usage || !fault.HasReason(err, window.ReasonTooShort) {
				t.Errorf("%#v", err)
			}
		})
	}
}

func TestDoubled(t *testing.T) {
	for planned, want := range map[time.Duration]time.Duration{
		0: 0, -time.Hour: 0, time.Hour: 2 * time.Hour, math.MaxInt64: math.MaxInt64 - 1,
	} {
		if got := window.Doubled(planned); got != want {
			t.Errorf("%s: got %s, want %s", planned, got, want)
		}
	}
}
