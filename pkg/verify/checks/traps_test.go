package checks

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

type trap struct {
	id     string
	name   string
	at     position.Position
	breaks func(*evidence.Input)
	want   verify.Status
	seen   string // in the first finding of that status
}

func node(in *evidence.Input, i int) *downstream.Node { return &in.Nodes.Value[i] }

var errForbidden = errors.New("forbidden")

func checkTraps() []trap {
	var all []trap
	for _, category := range [][]trap{clusterCases(), leaderCases(), nodeCases(), awsCases(), storageCases(), ccmCases(), serviceCases(), balancerCases()} {
		all = append(all, category...)
	}
	return all
}

// Every check reports its own defect.
func TestTraps(t *testing.T) {
	for _, tc := range checkTraps() {
		t.Run(tc.id+" "+tc.name, func(t *testing.T) {
			if wrong := tc.judgedBy(t, append(Alone(), all()...)); wrong != "" {
				t.Error(wrong)
			}
		})
	}
}

// judgedBy returns the difference from this case's expectation, or is empty.
func (tc trap) judgedBy(t *testing.T, registry []verify.Check[evidence.Input]) string {
	t.Helper()
	in := healthy(t, tc.at)
	tc.breaks(&in)
	r := verify.RunAll(t.Context(), verify.Bind(in, registry...), verify.Options{Position: tc.at, Only: []string{tc.id}})
	if len(r.Results) != 1 {
		return fmt.Sprintf("%d results", len(r.Results))
	}
	got := r.Results[0]
	if got.Status != tc.want {
		return fmt.Sprintf("%s, want %s: %+v", got.Status, tc.want, got.Findings)
	}
	var all []string
	for _, f := range got.Findings {
		if f.Status == tc.want {
			all = append(all, f.Object+" "+f.Seen+f.Reason)
		}
	}
	if text := strings.Join(all, "\n"); !strings.Contains(text, tc.seen) {
		return fmt.Sprintf("says %q, want %q in it", text, tc.seen)
	}
	return ""
}

// A case fails if a check's body is removed.
func TestBlankedChecksAreNoticed(t *testing.T) {
	for i, c := range append(Alone(), all()...) {
		registry := append(Alone(), all()...)
		registry[i].Judge = func(evidence.Input) []verify.Finding { return nil }
		noticed := false
		for _, tc := range checkTraps() {
			if tc.id == c.ID {
				noticed = noticed || tc.judgedBy(t, registry) != ""
			}
		}
		if !noticed {
			t.Errorf("%s finds nothing now, and no case fails", c.ID)
		}
	}
}

// Every check has a case in which it is not OK.
func TestEveryCheckCanFail(t *testing.T) {
	tested := map[string]bool{}
	for _, tc := range checkTraps() {
		if tc.want == verify.Fail || tc.want == verify.Warn {
			tested[tc.id] = true
		}
	}
	for _, m := range verify.Metas(append(Alone(), all()...)...) {
		if !tested[m.ID] {
			t.Errorf("%s has no failing case", m.ID)
		}
	}
}

// Defects elsewhere in the cluster never make an unread part OK.
func TestNothingReadIsNeverOK(t *testing.T) {
	r := verify.RunAll(t.Context(), verify.Bind(evidence.Input{Position: position.Result{Position: position.Unknown}}, append(Alone(), all()...)...), verify.Options{Position: position.Unknown})
	for _, res := range r.Results {
		if res.Status == verify.OK || res.Status == verify.Warn {
			t.Errorf("%s is %s although nothing was read: %+v", res.ID, res.Status, res.Findings)
		}
	}
}
