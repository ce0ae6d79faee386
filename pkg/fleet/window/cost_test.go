package window

import (
	"testing"
	"time"

	"github.com/robfig/cron/v3"
)

// asked counts the calls of the library.
type asked struct {
	cron.Schedule
	times *int
}

func (a asked) Next(t time.Time) time.Time {
	*a.times++
	return a.Schedule.Next(t)
}

// Windows are user input: the work for fourteen windows is bounded, however often and long they
// open.
func TestCost(t *testing.T) {
	for _, c := range []struct {
		name     string
		schedule string
		duration time.Duration
		at, fits int // questions, at most
	}{
		{"once a week", "0 22 * * 6", 4 * time.Hour, 50, 1_500},
		{"once a year", "0 22 1 1 *", 4 * time.Hour, 150, 150},
		{"each minute, a week", "* * * * *", MaxDuration, 500, 2_500},
		{"each minute, half an hour", "* * * * *", MinDuration, 20_000, 250_000},
		{"each minute of a day, a week", "* * * * 1", MaxDuration, 500, 2_500},
		{"a gap of a minute", "0,31 * * * *", MinDuration, 150, 300_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			times := 0
			var set Set
			for range MaxWindows {
				one, err := Parse([]Spec{{Schedule: c.schedule, Duration: c.duration, TimeZone: "Europe/Berlin"}})
				if err != nil {
					t.Fatal(err)
				}
				w := one.windows[0]
				w.schedule = asked{w.schedule, &times}
				set.windows = append(set.windows, w)
			}
			now := time.Date(2025, 3, 3, 3, 3, 3, 3, time.UTC)
			set.At(now)
			if times > c.at {
				t.Errorf("At asked %d times, wanted at most %d", times, c.at)
			}
			times = 0
			set.Fits(now, Horizon)
			if times > c.fits {
				t.Errorf("Fits asked %d times, wanted at most %d", times, c.fits)
			}
		})
	}
}
