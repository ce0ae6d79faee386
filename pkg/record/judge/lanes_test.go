package judge

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// told returns an interval by seconds.
func told(who string, early, late, until, ended, byRule float64) Interval {
	return Interval{Process: Process{Identity: who}, Start: Bound{Earliest: on(early), Latest: on(late)}, End: Bound{Earliest: on(until), Latest: on(ended)}, Certain: true, ByRule: on(byRule)}
}

// The first interval's end alone excludes an overlap; client-go's rule does so only without a
// frozen process.
func TestOverlapOfTwo(t *testing.T) {
	second := told("b", 50, 52, 80, never, never)
	open := told("b", 50, 52, 80, never, never)
	open.Certain = false
	for _, test := range []struct {
		name          string
		first, second Interval
		kind          Kind
		frozen        bool
		from, to      float64
	}{
		{"ended as the second can have begun", told("a", 0, 1, 40, 50, 53), second, Excluded, false, never, never},
		{"ended later", told("a", 0, 1, 40, 50.1, 53), second, Possible, false, 50, 50.1},
		{"nothing shows its end", told("a", 0, 1, 40, never, never), second, Possible, false, 50, never},
		{"by the rule", told("a", 0, 1, 40, never, 50), second, Possible, true, 50, never},
		{"by the rule, and ended later", told("a", 0, 1, 40, 60, 50), second, Possible, true, 50, 60},
		{"not by the rule", told("a", 0, 1, 40, never, 50.1), second, Possible, false, 50, never},
		{"wrote meanwhile", told("a", 0, 1, 60, never, never), second, Seen, false, 52, 60},
		{"wrote next to a process that may run nothing", told("a", 0, 1, 60, never, never), open, Possible, false, 50, never},
		{"both began at unknown times", told("a", never, 1, 40, 50, 50), told("b", never, 52, 80, never, never), Possible, false, never, 50},
		{"the second ended soon", told("a", 0, 1, 40, 90, never), told("b", 50, 52, 55, 60, never), Possible, false, 50, 60},
	} {
		o := overlap(test.first, test.second)
		if o.Kind != test.kind || o.OnlyIfFrozen != test.frozen || !o.From.Equal(on(test.from)) || !o.To.Equal(on(test.to)) {
			t.Errorf("%s: %s, only if frozen %v, from %s to %s", test.name, o.Kind, o.OnlyIfFrozen, at(o.From), at(o.To))
		}
	}
}

// Of all successors of a process, only the first excluded one is listed, and all others that are
// not excluded.
func TestOverlapsOfMany(t *testing.T) {
	kinds := func(all ...Interval) (found []string) {
		pairs, _ := overlaps(all)
		for _, o := range pairs {
			found = append(found, o.First.Identity+o.Second.Identity+" "+string(o.Kind))
		}
		return found
	}
	a, b, c, d := told("a", 0, 1, 40, 48, 50), told("b", 50, 52, 60, 61, 70), told("c", 70, 72, 90, 91, never), told("d", 70, 72, 90, never, never)
	if diff := cmp.Diff([]string{"ab excluded", "bc excluded", "cd seen"}, kinds(a, b, c, d)); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	unknown := told("u", never, 55, 90, never, never)
	if diff := cmp.Diff([]string{"au possible"}, kinds(a, unknown)); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"ua possible", "ub seen", "ab excluded"}, kinds(unknown, a, b)); diff != "" {
		t.Errorf("from before the record: want (-), got (+):\n%s", diff)
	}
	frozen := told("f", 0, 1, 40, never, 45)
	if diff := cmp.Diff([]string{"fb possible", "bc excluded"}, kinds(frozen, b, c)); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

// A lease that keeps changing hands makes a limited list, which loses no observed overlap
// (quadratic once: 40,000 holders took more than 23 GB).
func TestOverlapsAreBounded(t *testing.T) {
	var all []Interval
	for n := range 40000 {
		x := float64(n)
		all = append(all, told("p", x, x+0.1, x+0.2, never, never))
	}
	found, more := overlaps(all)
	if len(found) > maxOverlaps+1 || more < 40000 || found[len(found)-1].Kind != Possible {
		t.Errorf("%d, and %d more", len(found), more)
	}
	all[100].End.Earliest = on(30000)
	found, _ = overlaps(all)
	if !slices.ContainsFunc(found, func(o Overlap) bool { return o.Kind == Seen }) {
		t.Error("the one that was seen is lost")
	}
	all[100].End.Earliest = on(100.2)
	all[39000].End.Earliest = on(39900)
	found, _ = overlaps(all)
	if last := found[len(found)-1]; last.Kind != Seen {
		t.Errorf("the one that was seen late is lost: %+v", last)
	}
}

// A gap lasts at least as long as no process can have run, seen or unseen.
func TestGaps(t *testing.T) {
	running := told("b", 50, 52, 80, never, never)
	running.Running = true
	open := told("c", 42, 43, 45, 47, never)
	open.Certain = false
	for _, test := range []struct {
		name     string
		all      []Interval
		unseen   []span
		followed float64
		from, to float64
		least    time.Duration
	}{
		{"between two", []Interval{told("a", 0, 1, 40, 41, never), running}, nil, 100, 40, 52, 9 * time.Second},
		{"of whose first nothing shows the end", []Interval{told("a", 0, 1, 40, never, 44), running}, nil, 100, 40, 52, 6 * time.Second},
		{"with one that may have run nothing", []Interval{told("a", 0, 1, 40, 41, never), open, running}, nil, 100, 40, 52, 4 * time.Second},
		{"with an unseen process", []Interval{told("a", 0, 1, 40, 41, never), running}, []span{{on(43), on(48)}}, 100, 40, 52, 4 * time.Second},
		{"with an unseen process since an unknown time", []Interval{told("a", 0, 1, 40, 41, never), running}, []span{{time.Time{}, on(48)}}, 100, 40, 52, 2 * time.Second},
		{"behind the last sight", []Interval{running}, []span{{on(85), on(113)}}, 85, 85, 100, 0},
	} {
		got := gaps(test.all, test.unseen, on(test.followed), on(100))
		if len(got) != 1 || !got[0].From.Equal(on(test.from)) || !got[0].To.Equal(on(test.to)) || got[0].Least != test.least || got[0].Greatest != on(test.to).Sub(on(test.from)) {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}

// An unseen leader runs for as long as client-go's rule lets it. A process that exited, or had to
// by that rule, no longer runs when the record ends.
func TestWhoRunsUnseenAndAtTheEnd(t *testing.T) {
	j := New()
	j.from, j.until, j.asked = on(0), on(100), on(90)
	j.unseen = []unseen{{lease: "l", from: on(20), until: on(40)}}
	silent := span{on(90), on(113)}
	want := []span{silent, silent, silent, {on(20), on(53)}} // of three leases
	if got := j.hidden(); !slices.Equal(got, want) {
		t.Errorf("%v, wanted %v", got, want)
	}
	for name, s := range map[string]*script{
		"by the rule": begun().renewals(2, 40).ccmLeads(55, 80),
		"as told":     begun().renewals(2, 78).pod(79, record.Terminated, wellknown.KCM, "cp-0", "k0"),
	} {
		if first := s.judged().Lanes[0].Intervals[0]; first.Process.Identity != "cp-0_a" || first.Running {
			t.Errorf("%s: %+v", name, first)
		}
	}
}

// The leases that a process held, and its arguments, show what it does for a controller.
func TestIntervalByRole(t *testing.T) {
	const flag, file = "--enable-leader-migration=true", "--leader-migration-config=/f"
	for _, test := range []struct {
		name       string
		program    string
		flags      []string
		main, both bool // which leases it holds: of its program, at 20 s; and the migration's, at 30 s
		certain    bool
		latest     float64 // zero: it runs nothing
		early      float64
	}{
		{"in-tree", wellknown.KCM, []string{"--cloud-provider=aws"}, true, false, true, 35, 19.9},
		{"with the flag, and waiting", wellknown.KCM, []string{"--cloud-provider=aws", flag}, true, false, false, 0, 0},
		{"with the flag, and leading", wellknown.KCM, []string{"--cloud-provider=aws", flag}, true, true, true, 31, 29.9},
		{"with a file, and waiting", wellknown.KCM, []string{"--cloud-provider=aws", flag, file}, true, false, false, 35, 19.9},
		{"with a file, and leading", wellknown.KCM, []string{"--cloud-provider=aws", flag, file}, true, true, true, 35, 19.9},
		{"a CCM", wellknown.CCM, nil, true, false, true, 21, 19.9},
		{"a CCM with the flag, and waiting", wellknown.CCM, []string{flag}, true, false, false, 0, 0},
		{"a CCM with the flag, and leading", wellknown.CCM, []string{flag}, true, true, true, 31, 29.9},
		{"a CCM with a file, and leading", wellknown.CCM, []string{flag, file}, true, true, true, 31, 19.9},
		{"with an unseen main lease", wellknown.CCM, []string{flag}, false, true, true, 31, 29.9},
		{"with an unseen main lease and a file", wellknown.CCM, []string{flag, file}, false, true, false, 31, 29.9},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := (&script{}).at(0, record.Entry{Header: &record.Header{Form: record.Form}}).at(0, record.Entry{Node: &record.Node{Name: "cp-0", UID: "cp-0"}})
			s.pod(0, record.Running, test.program, "cp-0", "c0", test.flags...)
			who := "cp-0_a"
			if test.program == wellknown.CCM {
				who = "cp-0_b"
			}
			for _, name := range []string{mainLeaseOf(test.program), wellknown.MigrationLease} {
				s.hold(1, 601, name, "cp-1_x", 0) // another holder's, until then
			}
			for x := 18.0; x < 95; x += 2 {
				if test.main {
					s.hold(x+2, 620, mainLeaseOf(test.program), who, 1)
				}
				if test.both && x >= 28 {
					s.hold(x+2.1, 630.1, wellknown.MigrationLease, who, 1)
				}
			}
			var got Interval
			for _, i := range s.judged().Lanes[0].Intervals {
				if i.Process.Identity == who {
					got = i
				}
			}
			if test.latest == 0 {
				if got.Process.Identity != "" {
					t.Errorf("it runs nothing: %+v", got)
				}
				return
			}
			off := func(b time.Time, want float64) bool { return b.Sub(on(want)).Abs() > 600*time.Millisecond }
			if got.Certain != test.certain || off(got.Start.Latest, test.latest) || off(got.Start.Earliest, test.early) || !got.Running {
				t.Errorf("certain %v from %s..%s, running %v: %s", got.Certain, at(got.Start.Earliest), at(got.Start.Latest), got.Running, got.Why)
			}
		})
	}
}
