package verify

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func says(m Meta, fs ...Finding) Bound {
	return Bind(fs, Check[[]Finding]{Meta: m, Judge: func(fs []Finding) []Finding { return fs }})[0]
}

func result(t *testing.T, r Report, id string) Result {
	t.Helper()
	i := slices.IndexFunc(r.Results, func(res Result) bool { return res.ID == id })
	if i < 0 {
		t.Fatalf("no result of %s in %+v", id, r)
	}
	return r.Results[i]
}

// The remedy of a check fits its finding. Without evidence, the only manager might be the one
// that it removes.
func TestUnknownDoesNotAdviseWhatTheCheckWould(t *testing.T) {
	for name, found := range map[string]Finding{
		FixUnknown: {Status: Unknown, Reason: "forbidden"},
		"log in":   {Status: Unknown, Reason: "expired", Fix: "log in"},
	} {
		r := RunAll(t.Context(), []Bound{says(Meta{ID: "AWSM-210", Fix: "remove the CCM"}, found)}, Options{Position: position.P0})
		if e, ok := fault.As(r.Err()); !ok || e.Class != fault.CouldNotLook || e.Fix != name {
			t.Errorf("%+v, want fix %q", e, name)
		}
	}
}

func TestRunAllStatuses(t *testing.T) {
	boom := Bind(0, Check[int]{Meta: Meta{ID: "AWSM-906"}, Judge: func(int) []Finding { panic("nil map") }})[0]
	checks := []Bound{
		says(Meta{ID: "AWSM-901"}),
		says(Meta{ID: "AWSM-902"}, Finding{Status: Warn}, Finding{Status: OK}),
		says(Meta{ID: "AWSM-903"}, Finding{Status: Unknown, Reason: "forbidden"}, Finding{Status: Fail, Object: "Node a", Seen: "x", Wanted: "y", Fix: "mend"}),
		says(Meta{ID: "AWSM-904", DecidesNames: true}, Finding{Status: Skip, Reason: "no credentials"}),
		says(Meta{ID: "AWSM-905", Applies: []position.Position{position.P4}}, Finding{Status: Fail}),
		boom,
		says(Meta{ID: "AWSM-907"}, Finding{Status: Skip, Reason: "off"}),
	}
	r := RunAll(t.Context(), checks, Options{Position: position.P0})
	for id, want := range map[string]Status{
		"AWSM-901": OK, "AWSM-902": Warn, "AWSM-903": Fail, "AWSM-904": Unknown,
		"AWSM-905": Skip, "AWSM-906": Unknown, "AWSM-907": Skip,
	} {
		if got := result(t, r, id); got.Status != want {
			t.Errorf("%s is %s, want %s", id, got.Status, want)
		}
	}
	if got := result(t, r, "AWSM-906").Reason; !strings.Contains(got, "nil map") {
		t.Errorf("the panic is lost: %q", got)
	}
	if got := result(t, r, "AWSM-905").Reason; !strings.Contains(got, "P4") || !strings.Contains(got, "P0") {
		t.Errorf("skip reason %q names neither position", got)
	}
	if r.Counts[Unknown] != 2 || r.Counts[Skip] != 2 {
		t.Errorf("counts %v", r.Counts)
	}
	e, ok := fault.As(r.Err())
	if !ok || e.Class != fault.Check || e.Fix != "mend" || e.Wanted != "y" || e.Seen != "x" || !strings.HasPrefix(e.Object, "AWSM-903") || !slices.Equal(e.Checks, []string{"AWSM-903"}) {
		t.Errorf("error %+v", e)
	}
}

// An error names the urgent check first, regardless of what else fails.
func TestUrgentIsToldFirst(t *testing.T) {
	fails := func(id string, urgent bool) Bound {
		return says(Meta{ID: id, Urgent: urgent, Fix: "of " + id}, Finding{Status: Fail, Seen: id})
	}
	r := RunAll(t.Context(), []Bound{fails("AWSM-901", false), fails("AWSM-902", true), fails("AWSM-903", false)}, Options{})
	e, ok := fault.As(r.Err())
	if !ok || e.Seen != "AWSM-902; 3 of 3 checks failed: AWSM-902, AWSM-901, AWSM-903" || e.Fix != "of AWSM-902" || !slices.Equal(e.Checks, []string{"AWSM-902", "AWSM-901", "AWSM-903"}) {
		t.Errorf("error %+v", e)
	}
	if first := r.Results[0].ID; first != "AWSM-901" {
		t.Errorf("the report begins with %s: it is in the order of the checks", first)
	}
}

func TestRunAllAtUnknownPositionSkipsNothing(t *testing.T) {
	r := RunAll(t.Context(), []Bound{says(Meta{ID: "AWSM-905", Applies: []position.Position{position.P4}}, Finding{Status: Fail})}, Options{Position: position.Unknown})
	if r.Counts[Fail] != 1 {
		t.Errorf("counts %v, want one that failed", r.Counts)
	}
}

func TestSkips(t *testing.T) {
	bad := Finding{Status: Fail, Seen: "bad"}
	checks := []Bound{says(Meta{ID: "AWSM-901"}, bad), says(Meta{ID: "AWSM-902", Mandatory: true}, bad), says(Meta{ID: "AWSM-903", DecidesNames: true}, bad)}
	cases := []struct {
		name    string
		skip    map[string]string
		refused string
	}{
		{"with a reason", map[string]string{"AWSM-901": "ticket 12"}, ""},
		{"without a reason", map[string]string{"AWSM-901": " "}, "reason"},
		{"not skippable", map[string]string{"AWSM-902": "please"}, "cannot be skipped"},
		{"decides names", map[string]string{"AWSM-903": "please"}, "node names"},
		{"no such check", map[string]string{"AWSM-999": "please"}, "no such check"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			r := RunAll(t.Context(), checks, Options{Skip: tc.skip})
			if tc.refused == "" {
				got := result(t, r, "AWSM-901")
				if got.Status != Skip || !strings.Contains(got.Reason, "ticket 12") || len(r.Refused) != 0 {
					t.Errorf("got %+v, refused %v", got, r.Refused)
				}
				return
			}
			if len(r.Refused) != 1 || !strings.Contains(r.Refused[0].Reason, tc.refused) {
				t.Fatalf("refused %v, want %q", r.Refused, tc.refused)
			}
			if r.Counts[Fail] != 3 {
				t.Errorf("a refused skip still skipped: %v", r.Counts)
			}
			if fault.ClassOf(r.Err()) != fault.Usage {
				t.Errorf("error %v", r.Err())
			}
		})
	}
}

func TestOnly(t *testing.T) {
	checks := []Bound{says(Meta{ID: "AWSM-201", Category: "leader migration"}), says(Meta{ID: "AWSM-301", Category: "nodes"}), says(Meta{ID: "AWSM-302", Category: "nodes"})}
	for only, want := range map[string]int{"AWSM-3": 2, "nodes": 2, "awsm-201": 1, "": 0, "storage": 0} {
		r := RunAll(t.Context(), checks, Options{Only: []string{only}})
		if len(r.Results) != want || !r.Partial || (want == 0) != (len(r.Refused) == 1) {
			t.Errorf("--only %q: %d results, partial %v, refused %v", only, len(r.Results), r.Partial, r.Refused)
		}
	}
}

func TestOnlyKeepsGuards(t *testing.T) {
	checks := []Bound{says(Meta{ID: "AWSM-901"}), says(Meta{ID: "AWSM-902", Mandatory: true}, Finding{Status: Fail}),
		says(Meta{ID: "AWSM-903", DecidesNames: true}, Finding{Status: Unknown}), says(Meta{ID: "AWSM-904"}, Finding{Status: Fail})}
	r := RunAll(t.Context(), checks, Options{Only: []string{"AWSM-901"}, KeepGuards: true})
	if len(r.Results) != 3 || !r.Partial || r.Counts[Fail] != 1 || r.Counts[Unknown] != 1 {
		t.Errorf("results %+v, counts %v", r.Results, r.Counts)
	}
}

func TestEndedContextIsUnknown(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupted"))
	r := RunAll(ctx, []Bound{says(Meta{ID: "AWSM-901"})}, Options{})
	if fault.ClassOf(r.Err()) != fault.CouldNotLook || !strings.Contains(r.Err().Error(), "could not look") {
		t.Errorf("error %v", r.Err())
	}
	if got := result(t, r, "AWSM-901"); got.Status != Unknown || !strings.Contains(got.Reason, "interrupted") {
		t.Errorf("got %+v", got)
	}
}

// A check without evidence is never OK, and a skipped check is listed.
func TestUnknownBlocks(t *testing.T) {
	r := RunAll(t.Context(), []Bound{says(Meta{ID: "AWSM-101"}, Finding{Status: Warn}), says(Meta{ID: "AWSM-201"}, Finding{Status: Unknown}), says(Meta{ID: "AWSM-202"})},
		Options{Position: position.P2, Skip: map[string]string{"AWSM-202": "ticket 12"}})
	if r.Position != position.P2 || len(r.Results) != 3 || r.Counts[Warn] != 1 || r.Counts[Skip] != 1 {
		t.Errorf("report %+v", r)
	}
	if err := r.Err(); fault.ClassOf(err) != fault.CouldNotLook {
		t.Errorf("an Unknown check results in %v", err)
	}
}

func TestJudge(t *testing.T) {
	judge := func(n int) []Finding { return []Finding{{Status: Warn}} }
	if got := Judge(Got(1), "x", judge); got[0].Status != Warn {
		t.Errorf("got %v", got)
	}
	if got := Judge(Failed[int](errors.New("403")), "x", judge); got[0].Status != Unknown || !strings.Contains(got[0].Reason, "403") {
		t.Errorf("got %v", got)
	}
	if got := Judge(Read[int]{}, "x", judge); got[0].Status != Unknown {
		t.Errorf("got %v", got)
	}
}

// If the position is unknown, a check of certain positions must not report a failure; a check of
// all positions may.
func TestUnknownPositionFindsNothingWrongThatMayBeRight(t *testing.T) {
	bad := func(int) []Finding { return []Finding{{Status: Fail, Object: "Lease", Seen: "no grant"}} }
	checks := Bind(0, Check[int]{Meta: Meta{ID: "AWSM-1", Applies: []position.Position{position.P1}}, Judge: bad}, Check[int]{Meta: Meta{ID: "AWSM-2"}, Judge: bad})
	for blind, want := range map[bool]Status{true: Unknown, false: Fail} {
		r := RunAll(t.Context(), checks, Options{Position: position.Unknown, PositionUnknown: blind})
		if r.Results[0].Status != want || r.Results[1].Status != Fail {
			t.Errorf("blind %t: %s, %s", blind, r.Results[0].Status, r.Results[1].Status)
		}
	}
}

// Besides the checks of the position, those of AlsoAt run.
func TestAlsoAtBesideAPosition(t *testing.T) {
	later := says(Meta{ID: "AWSM-901", Applies: []position.Position{position.P3}}, Finding{Status: Fail})
	other := says(Meta{ID: "AWSM-902", Applies: []position.Position{position.P4}}, Finding{Status: Fail})
	own := says(Meta{ID: "AWSM-903", Applies: []position.Position{position.P2}}, Finding{Status: Fail})
	r := RunAll(t.Context(), []Bound{later, other, own}, Options{Position: position.P2, AlsoAt: []position.Position{position.P3}})
	for id, want := range map[string]Status{"AWSM-901": Fail, "AWSM-902": Skip, "AWSM-903": Fail} {
		if got := result(t, r, id); got.Status != want {
			t.Errorf("%s is %s, want %s", id, got.Status, want)
		}
	}
}

// Report.Elsewhere must not depend on the text of the reason.
func TestElsewhereIsNoText(t *testing.T) {
	own := says(Meta{ID: "AWSM-901"}, Finding{Status: Skip, Reason: "applies at night"})
	other := says(Meta{ID: "AWSM-902", Applies: []position.Position{position.P4}})
	r := RunAll(t.Context(), []Bound{own, other}, Options{Position: position.P0})
	for id, want := range map[string]bool{"AWSM-901": false, "AWSM-902": true} {
		if got := r.Elsewhere(result(t, r, id)); got != want {
			t.Errorf("%s: elsewhere %t", id, got)
		}
	}
}

// A question that two sides answer is one check: the worse answer counts, and a side that skips
// has no answer.
func TestMerge(t *testing.T) {
	bad, unseen, notHere, good := Finding{Status: Fail, Object: "a"}, Finding{Status: Unknown, Reason: "forbidden"}, Finding{Status: Skip, Reason: "no etcd"}, Finding{Status: OK}
	for name, tt := range map[string]struct {
		first, second []Finding
		want          Status
		findings      int
	}{
		"unknown, then ok":   {[]Finding{unseen}, []Finding{good}, Unknown, 2},
		"unknown, then none": {[]Finding{unseen}, nil, Unknown, 1},
		"ok, then unknown":   {[]Finding{good}, []Finding{unseen}, Unknown, 2},
		"unknown, then fail": {[]Finding{unseen}, []Finding{bad}, Fail, 2},
		"fail, then ok":      {[]Finding{bad}, nil, Fail, 1},
		"none, then skip":    {nil, []Finding{notHere}, OK, 0},
		"skip, then unknown": {[]Finding{notHere}, []Finding{unseen}, Unknown, 1},
		"both skip":          {[]Finding{notHere}, []Finding{notHere}, Skip, 1},
	} {
		r := RunAll(t.Context(), Merge([]Bound{says(Meta{ID: "AWSM-101", Fix: "own"}, tt.first...), says(Meta{ID: "AWSM-102"}), says(Meta{ID: "AWSM-101", Fix: "other"}, tt.second...)}), Options{})
		got := result(t, r, "AWSM-101")
		if len(r.Results) != 2 || got.Status != tt.want || len(got.Findings) != tt.findings || got.Fix != "own" {
			t.Errorf("%s: %d results, %+v", name, len(r.Results), got)
		}
	}
}
