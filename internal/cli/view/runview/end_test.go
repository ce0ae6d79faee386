package runview

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// The measured pauses are on the last screen, with and without a board, and in the document.
func TestFinish_pauses_shown(t *testing.T) {
	result := runner.Result{Position: "P5", Pauses: []time.Duration{5600 * time.Millisecond, 17 * time.Second}}
	for progress, want := range map[Progress]string{
		ProgressPlain: "pause  the cloud controllers changed hands, and were away for at most 5.6s, then 17s\n",
		ProgressNone:  "pause  the cloud controllers changed hands, and were away for at most 5.6s, then 17s\n",
	} {
		var out bytes.Buffer
		shown := NewRun(Output{Streams: console.Streams{Out: &out, Err: &out}, Format: "text", Progress: progress}, view.Commands{})
		if err := shown.Finish(result, nil); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v, progress %v:\n%s", err, progress, out.String())
		}
	}
	if doc := newRunResult(result, time.Minute, ""); !slices.Equal(doc.Pauses, []float64{5.6, 17}) {
		t.Errorf("the document has %v", doc.Pauses)
	}
	var out bytes.Buffer
	writeEnd(console.NewScreen(console.Streams{}, &out), ending{result: runner.Result{Position: "P5"}}, view.Commands{})
	if strings.Contains(out.String(), "pause") {
		t.Errorf("none was measured: %s", out.String())
	}
}

// If there was no run to follow, no duration is shown.
func TestFinish_noRun_noTime(t *testing.T) {
	for took, want := range map[time.Duration]bool{0: false, 2 * time.Minute: true} {
		var out bytes.Buffer
		writeEnd(console.NewScreen(console.Streams{}, &out), ending{result: runner.Result{Position: "P5"}, took: took}, view.Commands{Following: true})
		if strings.Contains(out.String(), "time ") != want {
			t.Errorf("after %s: %s", took, out.String())
		}
	}
}

// If a record exists, its result and location are shown.
func TestFinish_evidence_shown(t *testing.T) {
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	one, other := &judge.Process{Program: "kube-controller-manager", Host: "a"}, &judge.Process{Program: "aws-cloud-controller-manager", Host: "b"}
	gaps := []judge.Gap{
		{From: at, To: at.Add(time.Minute), Greatest: time.Minute, After: one},
		{From: at, To: at.Add(19 * time.Second), Least: 18 * time.Second, Greatest: 19 * time.Second, Before: one, After: other},
		{From: at, To: at.Add(6 * time.Second), Least: 5 * time.Second, Greatest: 6 * time.Second, Before: other, After: one},
	}
	evidence := Evidence{Record: "/state/r.jsonl", Report: "r.html", Seen: true,
		Judged: judge.Result{Lanes: []judge.Lane{{Controller: decidingController, Gaps: gaps, Intervals: []judge.Interval{{Process: *one, Certain: true}}}}}}
	output := func(out *bytes.Buffer) Output {
		return Output{Streams: console.Streams{Out: out, Err: out}, Format: "text", Progress: ProgressNone, Evidence: func() Evidence { return evidence }}
	}
	result := runner.Result{Position: "P5", Pauses: []time.Duration{24 * time.Second}, Steps: []runner.StepResult{{ID: "preflight"}}}
	var out bytes.Buffer
	if err := NewRun(output(&out), view.Commands{}).Finish(result, nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pause  the cloud controllers changed hands, and were away for 18–19 s, then 5–6 s\n",
		"seen   No two processes ran a cloud controller at once.\n", "record awsmigrate report /state/r.jsonl\n", "report r.html (written as this command ends)\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("lacks %q:\n%s", want, out.String())
		}
	}
	out.Reset()
	_ = NewRun(output(&out), view.Commands{}).Finish(result, &fault.Error{Class: fault.Check, Seen: "two"})
	if !strings.Contains(out.String(), "record awsmigrate report /state/r.jsonl") {
		t.Errorf("a run that failed does not name its record:\n%s", out.String())
	}
	evidence.Refused = []string{"pods", "services"}
	out.Reset()
	if _ = NewRun(output(&out), view.Commands{}).Finish(result, nil); !strings.Contains(out.String(), "record lacks pods, services, which these credentials may not watch") {
		t.Errorf("the missing resources are not shown:\n%s", out.String())
	}
	evidence.Record, evidence.Refused = "", []string{"leases"}
	out.Reset()
	if _ = NewRun(output(&out), view.Commands{}).Finish(result, nil); !strings.Contains(out.String(), "record none: it needs leases, which these credentials may not watch") {
		t.Errorf("the missing record is not shown:\n%s", out.String())
	}
	evidence.StoredRun = "r1"
	out.Reset()
	named := view.Commands{Report: func(run string) string { return "awsmigrate report --cluster demo --run " + run }}
	if _ = NewRun(output(&out), named).Finish(result, nil); !strings.Contains(out.String(), "record awsmigrate report --cluster demo --run r1\nrecord lacks leases") {
		t.Errorf("the record in the journal is not shown:\n%s", out.String())
	}
	evidence.StoredRun, evidence.Unkept = "", errors.New("configmaps are forbidden")
	out.Reset()
	if _ = NewRun(output(&out), named).Finish(result, nil); !strings.Contains(out.String(), "record not stored with the journal: configmaps are forbidden\n") {
		t.Errorf("the missing record is not shown:\n%s", out.String())
	}
	evidence.Judged.Lanes[0].Intervals[0].Certain = false
	out.Reset()
	if _ = NewRun(output(&out), view.Commands{}).Finish(result, nil); strings.Contains(out.String(), "seen ") || !strings.Contains(out.String(), "at most 24s") {
		t.Errorf("who ran them is open, and what the run measured itself counts:\n%s", out.String())
	}
	evidence.Judged.Lanes[0].Overlaps = []judge.Overlap{{Kind: judge.Seen}}
	out.Reset()
	if _ = NewRun(output(&out), view.Commands{}).Finish(result, nil); !strings.Contains(out.String(), "seen   Two processes ran a cloud controller at once") {
		t.Errorf("two were seen:\n%s", out.String())
	}
	evidence.Seen = false
	out.Reset()
	if _ = NewRun(output(&out), view.Commands{}).Finish(result, nil); strings.Contains(out.String(), "seen ") || !strings.Contains(out.String(), "at most 24s") {
		t.Errorf("nothing was watched:\n%s", out.String())
	}
}
