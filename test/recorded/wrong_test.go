package recorded

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func second(s float64) time.Time { return noon.Add(time.Duration(s * float64(time.Second))) }

// ran returns a process whose name is also its identity; to is -1 while it runs.
func ran(who string, from, to float64) Ran {
	one := Ran{Controller: judge.Service, Identity: who, Process: who, From: second(from)}
	if to != -1 {
		one.To = second(to)
	}
	return one
}

// judged returns a certain interval with its four bounds; the last is -1 if no end is known.
func judged(who string, earliest, latest, end, gone float64) judge.Interval {
	i := judge.Interval{Process: judge.Process{Identity: who}, Certain: true, Start: judge.Bound{Earliest: second(earliest), Latest: second(latest)}, End: judge.Bound{Earliest: second(end)}}
	if gone != -1 {
		i.End.Latest = second(gone)
	}
	return i
}

func overlap(kind judge.Kind, from, to float64) judge.Overlap {
	return judge.Overlap{Kind: kind, First: judge.Process{Identity: "a"}, Second: judge.Process{Identity: "b"}, From: second(from), To: second(to)}
}

func gap(from, to, least, greatest float64) judge.Gap {
	return judge.Gap{From: second(from), To: second(to), Least: second(least).Sub(noon), Greatest: second(greatest).Sub(noon)}
}

// a hands over to b: a ran until 40, b from 50, in a record of 100 seconds.
func TestWrong(t *testing.T) {
	a, b := judged("a", 0, 1, 39, 41), judged("b", 49, 51, 100, -1)
	handedOver := []Ran{ran("a", -10, 40), ran("b", 50, -1)}
	excluded := []judge.Overlap{{Kind: judge.Excluded, First: judge.Process{Identity: "a"}, Second: judge.Process{Identity: "b"}}}
	frozenOnly := overlap(judge.Possible, 49, 1000)
	frozenOnly.OnlyIfFrozen = true
	possibly := judged("b", 49, 51, 100, -1)
	possibly.Certain = false
	for _, test := range []struct {
		name      string
		intervals []judge.Interval
		overlaps  []judge.Overlap
		gaps      []judge.Gap
		unwatched []record.Unwatched
		ran       []Ran
		frozen    bool
		wrong     []string // the beginning of each problem, after its controller
	}{
		{"all within its bounds", []judge.Interval{judged("a", -100, 1, 39, 41), b}, excluded, []judge.Gap{gap(39, 51, 8, 12)}, nil, handedOver, false, nil},
		{"began before its bounds", []judge.Interval{a, b}, excluded, nil, nil, handedOver, false, []string{"a began at"}},
		{"certain too early", []judge.Interval{judged("a", -100, 1, 39, 41), judged("b", 45, 49, 100, -1)}, nil, nil, nil, handedOver, false, []string{"b ran from"}},
		{"certain too long", []judge.Interval{judged("a", -100, 1, 41, 45), b}, nil, nil, nil, handedOver, false, []string{"a ran from"}},
		{"ended later than judged", []judge.Interval{judged("a", -100, 1, 38, 39), b}, nil, nil, nil, handedOver, false, []string{"a ended at"}},
		{"judged ended, but still running", []judge.Interval{judged("a", -100, 1, 39, 41), judged("b", 49, 51, 90, 95)}, nil, nil, nil, handedOver, false, []string{"b ended at"}},
		{"not seen", []judge.Interval{judged("a", -100, 1, 39, 41)}, nil, nil, nil, handedOver, false, []string{"b (b) ran from"}},
		{"not seen, and reported as unwatched", []judge.Interval{judged("a", -100, 1, 39, 41)}, nil, nil, []record.Unwatched{{Stream: record.Leases, From: second(45), Until: second(100), Lost: true}}, handedOver, false, nil},
		{"not seen as the record ended", []judge.Interval{judged("a", -100, 1, 39, 41)}, nil, nil, nil, []Ran{ran("a", -10, 40), ran("b", 99, -1)}, false, nil},
		{"another process", []judge.Interval{judged("a", -100, 1, 39, 41), judged("c", 49, 51, 100, -1)}, nil, nil, nil, handedOver, false, []string{"b (b) ran from", "c ran for certain"}},
		{"possible, but did not run", []judge.Interval{judged("a", -100, 1, 39, 41), possibly}, nil, nil, nil, []Ran{ran("a", -10, 40)}, false, nil},
		{"without a lease", nil, nil, nil, nil, []Ran{{Controller: judge.Service, Process: "x", From: second(1)}}, false, []string{"x ran from"}},
		{"before the record", nil, nil, nil, nil, []Ran{ran("a", -10, -5)}, false, nil},

		{"a true overlap is excluded", []judge.Interval{judged("a", -100, 1, 39, 56), b}, excluded, nil, nil, []Ran{ran("a", -10, 55), ran("b", 50, -1)}, false, []string{"a and b ran at once"}},
		{"a true overlap is not reported", []judge.Interval{judged("a", -100, 1, 39, 56), b}, nil, nil, nil, []Ran{ran("a", -10, 55), ran("b", 50, -1)}, false, []string{"a and b ran at once"}},
		{"a true overlap is possible", []judge.Interval{judged("a", -100, 1, 39, 56), b}, []judge.Overlap{overlap(judge.Possible, 49, 56)}, nil, nil, []Ran{ran("a", -10, 55), ran("b", 50, -1)}, false, nil},
		{"a true overlap lasted longer", []judge.Interval{judged("a", -100, 1, 39, 56), b}, []judge.Overlap{overlap(judge.Possible, 49, 54)}, nil, nil, []Ran{ran("a", -10, 55), ran("b", 50, -1)}, false, []string{"a and b ran at once"}},
		{"a true overlap is seen", []judge.Interval{judged("a", -100, 1, 54, -1), b}, []judge.Overlap{overlap(judge.Seen, 51, 54)}, nil, nil, []Ran{ran("a", -10, 55), ran("b", 50, -1)}, false, nil},
		{"one that only a frozen process had", []judge.Interval{judged("a", -100, 1, 39, -1), b}, []judge.Overlap{frozenOnly}, nil, nil, []Ran{ran("a", -10, 55), ran("b", 50, -1)}, true, nil},
		{"seen, but there was no overlap", []judge.Interval{judged("a", -100, 1, 39, -1), b}, []judge.Overlap{overlap(judge.Seen, 51, 54)}, nil, nil, handedOver, false, []string{"a and b are judged seen"}},
		{"seen for longer than it was", []judge.Interval{judged("a", -100, 1, 54, -1), b}, []judge.Overlap{overlap(judge.Seen, 51, 58)}, nil, nil, []Ran{ran("a", -10, 55), ran("b", 50, -1)}, false, []string{"a and b are judged seen"}},
		{"with an unwatched process", []judge.Interval{judged("a", -100, 1, 39, 56)}, nil, nil, []record.Unwatched{{Stream: record.Leases, From: second(45), Until: second(100), Lost: true}}, []Ran{ran("a", -10, 55), ran("b", 50, -1)}, false, nil},

		{"a gap was longer", []judge.Interval{judged("a", -100, 1, 39, 41), b}, nil, []judge.Gap{gap(39, 51, 1, 8)}, nil, handedOver, false, []string{"between"}},
		{"a gap was shorter", []judge.Interval{judged("a", -100, 1, 39, 41), b}, nil, []judge.Gap{gap(39, 51, 11, 12)}, nil, handedOver, false, []string{"between"}},
		{"a gap that a frozen process filled", []judge.Interval{judged("a", -100, 1, 39, -1), b}, nil, []judge.Gap{gap(39, 51, 8, 12)}, nil, []Ran{ran("a", -10, 50), ran("b", 50, -1)}, true, nil},
		{"an open gap", []judge.Interval{judged("a", -100, 1, 39, 41)}, nil, []judge.Gap{gap(39, 100, 59, 61)}, nil, []Ran{ran("a", -10, 40)}, false, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := judge.Result{From: noon, Until: second(100), Unwatched: test.unwatched,
				Lanes: []judge.Lane{{Controller: judge.Service, Intervals: test.intervals, Overlaps: test.overlaps, Gaps: test.gaps}}}
			problems, _ := Wrong(r, Truth{Ran: test.ran, Frozen: test.frozen})
			if len(problems) != len(test.wrong) {
				t.Fatalf("%q, wanted %q", problems, test.wrong)
			}
			for n, begins := range test.wrong {
				if !strings.HasPrefix(problems[n], "service: "+begins) {
					t.Errorf("%q, wanted %q", problems[n], begins)
				}
			}
		})
	}
}

func TestTally(t *testing.T) {
	r := judge.Result{From: noon, Until: second(100), Lanes: []judge.Lane{{Controller: judge.Service, Intervals: []judge.Interval{judged("a", -100, 1, 39, 41), judged("b", 49, 51, 100, -1)},
		Overlaps: []judge.Overlap{{Kind: judge.Excluded}}, Gaps: []judge.Gap{gap(39, 51, 8, 12)}}, {Controller: judge.Route}}}
	_, got := Wrong(r, Truth{Ran: []Ran{ran("a", -10, 40), ran("b", 50, -1)}})
	if diff := cmp.Diff(Tally{Intervals: 2, Gaps: 1, Excluded: 1, Ends: 1}, got); diff != "" {
		t.Error(diff)
	}
}
