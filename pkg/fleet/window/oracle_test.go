package window_test

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // on a machine without zones

	"github.com/awsmigrate/awsmigrate/pkg/fleet/window"
)

// The oracle checks each minute of more than two years. It parses the five fields without the
// cron library, and uses the time package only for the wall clock at an instant. It does not know
// when clocks change.

var zones = []string{"Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Kolkata"}

// era is a year for the tested times, with the time before and after it that the results depend
// on.
type era struct {
	begin time.Time // of the year
	zones []string
	sets  int // that are generated for it
}

const (
	before  = 8 * 24 * 60 // minutes: the longest window, and a day
	asked   = 366 * 24 * 60
	minutes = before + asked + (400+92)*24*60 // the horizon, and the longest need
)

// In 2040 zone data has no list of transitions left, but a rule. Go's ZoneBounds is wrong about
// such rules on 31 December of a leap year.
var eras = []era{
	{time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), zones, 40},
	{time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC), []string{"Europe/Berlin", "Australia/Lord_Howe"}, 10},
}

func (e era) at(minute int) time.Time {
	return e.begin.Add(time.Duration(minute-before) * time.Minute)
}

// wall is a wall-clock time.
type wall struct{ minute, hour, day, month, weekday uint8 }

// clock holds the wall clock of one zone for each minute of an era.
type clock struct {
	shows   []wall
	changes []int // the minutes in which it does not show one more than before
}

// clocks caches the clocks, because each takes a while to compute.
var clocks = map[string]*clock{}

func (e era) clock(t testing.TB, zone string) *clock {
	t.Helper()
	key := fmt.Sprint(e.begin.Year(), zone)
	if clocks[key] == nil {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		c := &clock{shows: make([]wall, minutes)}
		for i, last := 0, -1; i < minutes; i++ {
			now := e.at(i).In(loc)
			_, month, day := now.Date()
			hour, minute, _ := now.Clock()
			c.shows[i] = wall{uint8(minute), uint8(hour), uint8(day), uint8(month), uint8(now.Weekday())}
			if of := hour*60 + minute; last >= 0 && of != (last+1)%(24*60) {
				c.changes = append(c.changes, i)
			}
			last = hour*60 + minute
		}
		clocks[key] = c
	}
	return clocks[key]
}

// fields is a schedule as the oracle parses it.
type fields struct {
	minute, hour, day, month, weekday [60]bool
	both                              bool // the day of month and the weekday have to match, since one of them is a star
}

func (f *fields) match(w wall) bool {
	if !f.minute[w.minute] || !f.hour[w.hour] || !f.month[w.month] {
		return false
	}
	if f.both {
		return f.day[w.day] && f.weekday[w.weekday]
	}
	return f.day[w.day] || f.weekday[w.weekday]
}

func read(t testing.TB, schedule string) *fields {
	t.Helper()
	texts := strings.Fields(schedule)
	if len(texts) != 5 {
		t.Fatalf("%q is taken, and has %d fields", schedule, len(texts))
	}
	months := strings.Fields("- jan feb mar apr may jun jul aug sep oct nov dec")
	days := strings.Fields("sun mon tue wed thu fri sat")
	return &fields{
		minute: list(t, texts[0], 0, 59, nil), hour: list(t, texts[1], 0, 23, nil), day: list(t, texts[2], 1, 31, nil),
		month: list(t, texts[3], 1, 12, months), weekday: list(t, texts[4], 0, 6, days),
		both: strings.Contains("* ?", texts[2]) || strings.Contains("* ?", texts[4]),
	}
}

func list(t testing.TB, text string, low, high int, names []string) (in [60]bool) {
	t.Helper()
	value := func(s string) int {
		if i := slices.Index(names, strings.ToLower(s)); i >= 0 {
			return i
		}
		n, err := strconv.Atoi(s)
		if err != nil || n < low || n > high {
			t.Fatalf("%q is taken, and %q is not from %d to %d", text, s, low, high)
		}
		return n
	}
	for part := range strings.SplitSeq(text, ",") {
		span, by, stepped := strings.Cut(part, "/")
		from, to, ranged := strings.Cut(span, "-")
		step, first, last := 1, low, high
		if from != "*" && from != "?" {
			first = value(from)
			last = first
			if stepped {
				last = high
			}
		}
		if ranged {
			last = value(to)
		}
		if stepped {
			var err error
			if step, err = strconv.Atoi(by); err != nil || step < 1 {
				t.Fatalf("%q is taken, and steps by %q", text, by)
			}
		}
		for n := first; n <= last; n++ {
			if (n-first)%step == 0 {
				in[n] = true
			}
		}
	}
	return in
}

// span is an interval in minutes of an era. An interval that reaches the end of the era has no
// end.
type span struct{ opens, closes int }

// oracle holds the intervals of a set.
type oracle struct {
	era   era
	spans []span
}

func consult(t testing.TB, e era, specs []window.Spec) oracle {
	t.Helper()
	open := make([]bool, minutes)
	for _, spec := range specs {
		f, until := read(t, spec.Schedule), 0
		for i, w := range e.clock(t, spec.TimeZone).shows {
			if f.match(w) {
				until = i + int(spec.Duration/time.Minute)
			}
			open[i] = open[i] || i < until
		}
	}
	o := oracle{era: e}
	for i := 0; i < minutes; i++ {
		if open[i] {
			begin := i
			for i < minutes && open[i] {
				i++
			}
			o.spans = append(o.spans, span{begin, i})
		}
	}
	return o
}

// intervals returns the spans from a time on, like Set: an open one begins at that time, none
// opens after the horizon, and one that reaches far enough is the last.
func (o oracle) intervals(now time.Time, reach time.Duration) []window.Interval {
	var all []window.Interval
	i := sort.Search(len(o.spans), func(i int) bool { return o.era.at(o.spans[i].closes).After(now) })
	for ; i < len(o.spans); i++ {
		opens, closes := o.era.at(o.spans[i].opens), o.era.at(o.spans[i].closes)
		if opens.Before(now) {
			opens = now
		}
		if opens.After(now.Add(window.Horizon)) {
			break
		}
		if end := opens.Add(reach); !closes.Before(end) {
			return append(all, window.Interval{Opens: opens, Closes: end})
		}
		all = append(all, window.Interval{Opens: opens, Closes: closes})
	}
	return all
}

func (o oracle) state(now time.Time) window.State {
	all := o.intervals(now, window.Sight)
	var s window.State
	if len(all) > 0 && !all[0].Opens.After(now) {
		s.Open = true
		if all[0].Closes.Sub(now) < window.Sight {
			s.Closes = all[0].Closes
		}
		all = all[1:]
	}
	if len(all) > 0 {
		s.Opens = all[0].Opens
	}
	return s
}

func (o oracle) fit(now time.Time, planned time.Duration) window.Fit {
	fit := window.Fit{Planned: planned, Need: planned + planned}
	var longest window.Interval
	for _, s := range o.intervals(now, fit.Need) {
		if s.Closes.Sub(s.Opens) >= fit.Need {
			fit.Begin, fit.Now = s.Opens, s.Opens.Equal(now)
			return fit
		}
		if s.Closes.Sub(s.Opens) > longest.Closes.Sub(longest.Opens) {
			longest = s
		}
	}
	fit.Longest = longest
	return fit
}

// compare compares the results of both.
func compare(t testing.TB, set window.Set, o oracle, now time.Time, planned time.Duration) {
	t.Helper()
	if got, want := set.At(now), o.state(now); got != want {
		t.Errorf("at %s: %+v\nby the minute:           %+v", now.Format(time.RFC3339), got, want)
	}
	if got, want := set.Fits(now, planned), o.fit(now, planned); got != want {
		t.Errorf("%s at %s: %+v\nby the minute: %+v", planned, now.Format(time.RFC3339), got, want)
	}
}
