package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

var noon = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

func after(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }

var (
	kcm = judge.Process{Identity: "cp-0_a", Program: wellknown.KCM, Host: "cp-0"}
	ccm = judge.Process{Identity: "cp-1_b", Program: wellknown.CCM, Host: "cp-1"}
)

// judged returns a hand-over with an overlap of this kind.
func judged(o judge.Overlap) judge.Result {
	o.First, o.Second = kcm, ccm
	return judge.Result{Header: record.Header{Name: "demo"}, From: noon, Until: after(120), Ended: true, Lanes: []judge.Lane{{Controller: judge.Service,
		Intervals: []judge.Interval{
			{Process: kcm, Certain: true, Start: judge.Bound{Latest: after(1), Source: "lease"}, End: judge.Bound{Earliest: after(40), Latest: after(41), Source: "kubelet"}},
			{Process: ccm, Certain: true, Start: judge.Bound{Earliest: after(55), Latest: after(56), Source: "lease"}, End: judge.Bound{Earliest: after(119), Source: "lease"}, Running: true}},
		Gaps:     []judge.Gap{{From: after(40), To: after(56), Least: 14 * time.Second, Greatest: 16 * time.Second, Before: &kcm, After: &ccm}},
		Overlaps: []judge.Overlap{o}}}}
}

func TestSentence(t *testing.T) {
	blind := judged(judge.Overlap{Kind: judge.Excluded})
	blind.Unwatched = []record.Unwatched{{Stream: record.Leases, From: after(100), Until: after(120), Lost: true}}
	for _, test := range []struct {
		name string
		r    judge.Result
		says string
	}{
		{"excluded", judged(judge.Overlap{Kind: judge.Excluded}), "No two processes ran"},
		{"seen", judged(judge.Overlap{Kind: judge.Seen, From: after(50), To: after(60)}), "from 12:00:50.0 to 12:01:00.0 at least"},
		{"possible", judged(judge.Overlap{Kind: judge.Possible}), "one cannot be excluded"},
		{"possible if frozen", judged(judge.Overlap{Kind: judge.Possible, OnlyIfFrozen: true}), "by the rule of their leases"},
		{"not watched", blind, "20 s at a stretch"},
		{"no process", judge.Result{}, "No process was seen"},
	} {
		if got := Sentence(test.r); !strings.Contains(got, test.says) {
			t.Errorf("%s: %q, wanted %q in it", test.name, got, test.says)
		}
	}
}

func TestLines(t *testing.T) {
	r := judged(judge.Overlap{Kind: judge.Excluded, Why: "it had ended"})
	lane := r.Lanes[0]
	for got, want := range map[string]string{
		Ran(lane.Intervals[0]):        "KCM on cp-0 ran it from before the record until 12:00:40.0–12:00:41.0 (kubelet): certainly, cp-0_a",
		Ran(lane.Intervals[1]):        "CCM on cp-1 ran it from 12:00:55.0–12:00:56.0 until the end of the record (lease): certainly, cp-1_b",
		GapText(lane.Gaps[0]):         "gap of 14 s to 16 s behind KCM on cp-0 (12:00:40.0), then CCM on cp-1",
		OverlapText(lane.Overlaps[0]): "overlap excluded: KCM on cp-0 and CCM on cp-1. it had ended.",
	} {
		if got != want {
			t.Errorf("%q, wanted %q", got, want)
		}
	}
}

// The worst of several records decides, regardless of the order, and each is reported.
func TestSeveralRecords(t *testing.T) {
	r := Of(judged(judge.Overlap{Kind: judge.Excluded}), nil)
	r.Recorded, r.Runs = map[string]bool{"r2": true}, []judge.Run{{ID: "r1"}, {ID: "r2"}}
	first := judged(judge.Overlap{Kind: judge.Seen, From: after(50), To: after(60)})
	first.Runs = []judge.Run{{ID: "r1"}}
	r.Earlier = []judge.Result{first}
	if r.Verdict() != judge.Double || !strings.Contains(r.Sentence(), "Two processes ran") {
		t.Errorf("%s: %s", r.Verdict(), r.Sentence())
	}
	text := mustMarkdown(t, r)
	for _, want := range []string{"Record of run r1, 2024-05-01T12:00:00Z to 2024-05-01T12:02:00Z: Two processes ran", "runs without a record: r1", "between recorded runs"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// A run that was taken over stopped: its sentence has a verb.
func TestRunWithoutAnEnd(t *testing.T) {
	for want, run := range map[string]judge.Run{
		"The migration stopped in step verify: Lease a: it was taken over by bob.": {Goal: record.Migrate, Error: "Lease a: it was taken over by bob", Steps: []judge.Step{{ID: "verify", Outcome: record.Failed}}},
		"The migration died: no end is recorded.":                                  {Goal: record.Migrate, Error: Died},
		"The migration has no end here: it continues, or it was killed.":           {Goal: record.Migrate},
	} {
		if got := RunSentence(run); got != want {
			t.Errorf("%q, wanted %q", got, want)
		}
	}
}

// Text of a cluster closes no cell, adds no markup and turns no writing direction.
func TestMarkdownHoldsHostileText(t *testing.T) {
	r := judged(judge.Overlap{Kind: judge.Excluded, Why: "it had ended"})
	r.Header.Name = "a|b\n# <script>"
	r.World.Nodes = []judge.NodeChange{{First: record.Node{Name: "n|1\u202e", ProviderID: "aws:///a/i-1"}, Last: record.Node{Name: "n|1", ProviderID: "aws:///a/i-2"}}}
	text := mustMarkdown(t, Of(r, []record.Torn{{Line: 9, Why: "no entry\u2066"}}))
	for _, want := range []string{"# Who ran the cloud controllers of a\\|b", "# &lt;script>", "No two processes ran", "gap of 14 s to 16 s", "n\\|1", "aws:///a/i-1 → **aws:///a/i-2**", "the record's line 9: no entry"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	for _, bad := range []string{"\n# <", "\n# &lt;", "\u202e", "\u2066"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q is in it", bad)
		}
	}
}

// A holder that did not write while the lease was watched has no known last write.
func TestRan_withoutALastWrite_printsNoTime(t *testing.T) {
	at := time.Date(2026, 11, 26, 10, 59, 31, 0, time.UTC)
	for want, i := range map[string]judge.Interval{
		"until its renew deadline 10:59:31.0 at most (": {ByRule: at},
		"until 10:59:31.0 at most (":                    {End: judge.Bound{Latest: at}},
		"until a time that nothing shows (":             {},
	} {
		if got := Ran(i); !strings.Contains(got, want) || strings.Contains(got, "00:00:00") {
			t.Errorf("%q, wanted %q", got, want)
		}
	}
}

// A resumed watch whose version has expired has lost its events. The report does not also list its
// time as late, with nothing missing.
func TestNotSeen_lateThenExpired_lost(t *testing.T) {
	at := func(second int) time.Time { return time.Date(2026, 11, 27, 18, 30, second, 0, time.UTC) }
	late := func(stream record.Stream, from, to int) record.Unwatched {
		return record.Unwatched{Stream: stream, From: at(from), Until: at(to)}
	}
	lost := record.Unwatched{Stream: "leases", From: at(10), Until: at(20), Lost: true, Why: "Expired"}
	got := NotSeen(judge.Result{Ended: true, Unwatched: []record.Unwatched{late("leases", 10, 19), lost, late("leases", 9, 19), late("nodes", 10, 19)}})
	want := []string{
		"leases: came late between 18:30:09.0 and 18:30:19.0, nothing is missing",
		"leases: not watched from 18:30:10.0 to 18:30:20.0 (Expired)",
		"nodes: came late between 18:30:10.0 and 18:30:19.0, nothing is missing",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, wanted %q", got, want)
	}
}
