package audit

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

func sampleReport(t *testing.T, options verify.Options) verify.Report {
	check := func(id string, at []position.Position, findings ...verify.Finding) verify.Check[int] {
		return verify.Check[int]{Meta: verify.Meta{ID: id, Title: "title of " + id, Fix: "fix of " + id, Applies: at},
			Judge: func(int) []verify.Finding { return findings }}
	}
	many := make([]verify.Finding, 7)
	for i := range many {
		many[i] = verify.Finding{Status: verify.Warn, Object: "Node n", Seen: "x"}
	}
	return verify.RunAll(t.Context(), verify.Bind(0,
		check("AWSM-1", nil),
		check("AWSM-2", []position.Position{position.P0}),
		check("AWSM-3", []position.Position{position.P0}),
		check("AWSM-4", nil, verify.Finding{Status: verify.Skip, Reason: "pods use the host network"}),
		check("AWSM-5", nil, verify.Finding{Status: verify.Warn, Object: "role demo-cp", Seen: "lacks X", Wanted: "X", Fix: "add X"}),
		check("AWSM-6", nil, many...),
		check("AWSM-7", nil, verify.Finding{Status: verify.Fail, Object: "Node a", Seen: "bad", Wanted: "good"}, verify.Finding{Status: verify.Fail, Object: "Node b", Seen: "bad", Wanted: "good"}),
		check("AWSM-8", nil, verify.Finding{Status: verify.Unknown, Object: "EC2", Reason: "could not look: denied"}),
	), options)
}

// Checks that are skipped for one reason share a line.
func TestSkipLines_sameReason_oneLine(t *testing.T) {
	skip := func(id, reason string) verify.Result {
		return verify.Result{Meta: verify.Meta{ID: id, Title: "title of " + id}, Status: verify.Skip, Reason: reason}
	}
	got := skipLines(verify.Report{Results: []verify.Result{skip("A", "AWS was not asked"), skip("B", "known"), skip("C", "AWS was not asked")}})
	if diff := cmp.Diff([]string{"–  A, C: AWS was not asked", "–  B  title of B: known"}, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

func TestCheckSummary_report_allNotOKListed(t *testing.T) {
	got := CheckSummary(sampleReport(t, verify.Options{Position: position.P5, Skip: map[string]string{"AWSM-1": "known"}}))
	want := []string{
		"2 warn (AWSM-5, AWSM-6), 1 fail (AWSM-7), 1 unknown (AWSM-8), 2 skipped (AWSM-1, AWSM-4), 2 for other positions",
		"✗  AWSM-7  Node a: bad → good", "   Node b: bad → good", "   rule: title of AWSM-7", "   fix: fix of AWSM-7",
		"?  AWSM-8  EC2: could not look: denied", "   rule: title of AWSM-8", "   fix: " + verify.FixUnknown,
		"!  AWSM-5  role demo-cp: lacks X → X", "   rule: title of AWSM-5", "   fix: add X",
		"!  AWSM-6  Node n: x", "   Node n: x", "   Node n: x", "   Node n: x", "   Node n: x", "   and 2 more", "   rule: title of AWSM-6", "   fix: fix of AWSM-6",
		"–  AWSM-1  title of AWSM-1: skipped on request: known",
		"–  AWSM-4  title of AWSM-4: pods use the host network",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

// The error names every failing check, not only the first.
func TestJudgeReport_failures_allNamed(t *testing.T) {
	err := JudgeReport(sampleReport(t, verify.Options{Position: position.P5}), migration.Options{})
	if f, ok := fault.As(err); !ok || f.Class != fault.Check || f.Reason != "ChecksFailed" {
		t.Fatalf("first fault %+v", f)
	}
	for _, part := range []string{"AWSM-7", "Node a", "Node b", "AWSM-8", "could not look: denied"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in: %v", part, err)
		}
	}
	if strings.Count(err.Error(), "Node a") != 1 {
		t.Errorf("the first finding appears twice: %v", err)
	}
	if ids := fault.ChecksOf(err); !slices.Equal(ids, []string{"AWSM-7", "AWSM-8"}) {
		t.Errorf("the error names %v", ids)
	}
}

func TestJudgeReport_failOnWarning_warningsClass(t *testing.T) {
	report := verify.RunAll(t.Context(), verify.Bind(0, verify.Check[int]{Meta: verify.Meta{ID: "AWSM-5"},
		Judge: func(int) []verify.Finding { return []verify.Finding{{Status: verify.Warn, Seen: "x"}} }}), verify.Options{})
	if err := JudgeReport(report, migration.Options{}); err != nil {
		t.Errorf("a warning stops: %v", err)
	}
	err := JudgeReport(report, migration.Options{FailOnWarning: true})
	if !errors.As(err, new(*fault.Error)) || fault.ClassOf(err) != fault.Warnings {
		t.Errorf("got %v, want class Warnings", err)
	}
}

// Skipped checks are counted, and named unless they apply at another position.
func TestCountsOf_skipped_named(t *testing.T) {
	skip := verify.Finding{Status: verify.Skip, Reason: "known"}
	for want, found := range map[string][]verify.Check[int]{
		"1 ok":                        {{Meta: verify.Meta{ID: "A"}}},
		"1 ok, 1 skipped (B)":         {{Meta: verify.Meta{ID: "A"}}, {Meta: verify.Meta{ID: "B"}, Judge: func(int) []verify.Finding { return []verify.Finding{skip} }}},
		"1 ok, 1 for other positions": {{Meta: verify.Meta{ID: "A"}}, {Meta: verify.Meta{ID: "B", Applies: []position.Position{position.P0}}}},
		"1 ok, 1 skipped (C), 1 for other positions": {{Meta: verify.Meta{ID: "A"}}, {Meta: verify.Meta{ID: "B", Applies: []position.Position{position.P0}}}, {Meta: verify.Meta{ID: "C"}, Judge: func(int) []verify.Finding { return []verify.Finding{skip} }}},
		"1 warn (A), 1 fail (B), 1 unknown (C)":      {with("A", verify.Warn), with("B", verify.Fail), with("C", verify.Unknown)},
	} {
		for i := range found {
			if found[i].Judge == nil {
				found[i].Judge = func(int) []verify.Finding { return nil }
			}
		}
		if got := CountsOf(verify.RunAll(t.Context(), verify.Bind(0, found...), verify.Options{Position: position.P5})); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A fault's class follows its finding, so that programs can distinguish a failure from an
// unknown result.
func TestFaultsOf_status_class(t *testing.T) {
	report := verify.RunAll(t.Context(), verify.Bind(0, with("A", verify.Fail), with("B", verify.Unknown), with("C", verify.Warn)), verify.Options{})
	for _, tt := range []struct {
		status verify.Status
		class  fault.Class
		reason string
	}{{verify.Fail, fault.Check, "CheckFailed"}, {verify.Unknown, fault.CouldNotLook, "CheckUnknown"}, {verify.Warn, fault.Warnings, "CheckWarns"}} {
		all := faultsOf(report, tt.status)
		if f, ok := fault.As(errors.Join(all...)); len(all) != 1 || !ok || f.Class != tt.class || f.Reason != tt.reason || !strings.HasSuffix(f.Object, " o") {
			t.Errorf("%s: %+v", tt.status, f)
		}
	}
}

func with(id string, status verify.Status) verify.Check[int] {
	return verify.Check[int]{Meta: verify.Meta{ID: id}, Judge: func(int) []verify.Finding { return []verify.Finding{{Status: status, Object: "o", Seen: "s"}} }}
}

// The backend's checks come before those of every cluster.
func TestCheckMetas_own_first(t *testing.T) {
	own := []verify.Meta{{ID: "AWSM-999"}}
	metas := CheckMetas(wellknown.RKE2, own)
	if len(metas) != 1+len(checks.For(wellknown.RKE2)) || metas[0].ID != "AWSM-999" {
		t.Errorf("%d checks", len(metas))
	}
}
