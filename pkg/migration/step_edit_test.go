package migration

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// anEdit is an editing step that demands nothing, of a Backend.
func anEdit(id journal.StepID, e *editor) *editing {
	return &editing{base{Migration: &Migration{Backend: e, Access: Access{Clock: clock.RealClock{}}}, ID: id}, editRules{waitingFor: "the edit"}}
}

// Nothing is written that is refused, nor on a cluster that is not at rest, nor where
// the step's precondition does not hold. A way back in the middle of a rollout is what
// ends it, and waits for no rest.
func TestEditIsWrittenOnlyWhereItMay(t *testing.T) {
	refused, unmet := errors.New("uneditable"), errors.New("not yet")
	half := Snapshot{Reading: rolling(), Result: between(position.P3, position.P4), Config: restingConfig{},
		Record: journal.Record{Intents: []journal.Intent{{Step: StepSwitch}}}}
	for name, tt := range map[string]struct {
		id      journal.StepID
		seen    Snapshot
		refused error
		unmet   error
		writes  bool
		says    string
	}{
		"at rest":                         {id: StepSwitch, seen: Snapshot{Reading: resting()}, writes: true},
		"refused":                         {id: StepSwitch, seen: Snapshot{Reading: resting()}, refused: refused, says: "uneditable"},
		"not at rest":                     {id: StepSwitch, seen: Snapshot{Reading: rolling()}, says: "waits for its plan"},
		"precondition":                    {id: StepSwitch, seen: Snapshot{Reading: resting()}, unmet: unmet, says: "not yet"},
		"back at rest":                    {id: StepUndoSwitch, seen: Snapshot{Reading: resting(), Result: at(position.P4)}, writes: true},
		"back, others move it":            {id: StepUndoSwitch, seen: Snapshot{Reading: rolling(), Result: at(position.P4)}, says: "waits for its plan"},
		"back in the middle of a roll":    {id: StepUndoSwitch, seen: half, writes: true},
		"back, and the lease is no one's": {id: StepUndoSwitch, seen: half, unmet: unmet, says: "not yet"},
	} {
		e := &editor{open: []Edit{change("a")}}
		e.open[0].Refused = tt.refused
		s := anEdit(tt.id, e)
		s.rules.precondition = func(context.Context, *Migration, Snapshot) error { return tt.unmet }
		err := s.Do(t.Context(), txFor(t, tt.id), tt.seen)
		if wrote := slices.Contains(e.did, "write a"); wrote != tt.writes {
			t.Errorf("%s: wrote %t: %v", name, wrote, err)
		}
		// What follows a write is observed anew, which this Backend cannot.
		if tt.writes != errors.Is(err, errAway) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Where nothing is left to edit, what is edited is applied.
func TestEditThatIsThereIsApplied(t *testing.T) {
	e := &editor{}
	if err := anEdit(StepEnable, e).Do(t.Context(), txFor(t, StepEnable), Snapshot{Reading: rolling()}); err != nil || !slices.Equal(e.did, []string{"apply"}) {
		t.Errorf("%v, %v", e.did, err)
	}
}

func holder(owner string, moves bool) lease.Leases {
	first := lease.Observation{Exists: true, UID: "u", Holder: "a_1", Duration: 15 * time.Second, ResourceVersion: "1", Manager: owner}
	last := first
	if last.At = time.Second; moves {
		last.ResourceVersion, last.Renew = "2", time.Unix(2, 0)
	}
	migration := lease.Series{First: first, Last: last}
	main := migration
	other := lease.Series{}
	out := lease.Leases{Migration: migration, KCM: other, CCM: other}
	if owner == "kube-controller-manager" {
		out.KCM = main
	} else {
		out.CCM = main
	}
	return out
}

// A rollout is over once nothing is open: what applies the edit, the Nodes, the cordons,
// the machines, and who holds the lease. The Nodes come first: what others wait for, they
// wait for because of them.
func TestRolloutWaits(t *testing.T) {
	done := Rollout{Done: 2, Total: 2, Evidence: "2 of 2", Progress: "p", By: ByRancher()}
	lagging := Rollout{Done: 1, Total: 2, Applying: []string{"Rancher: configuring b"}, Open: []string{"b has no flag yet"}, WaitingFor: "every host"}
	down := resting()
	down.Down.Nodes = []downstream.Node{{Name: "b"}}
	for name, tt := range map[string]struct {
		rules   editRules
		now     Rollout
		reading Reading
		leases  lease.Leases
		want    runner.VerdictKind
		waits   string
		seen    string
	}{
		"all of it, held by the KCM":      {enableLeaderMigration(), done, resting(), holder("kube-controller-manager", true), runner.Met, "", ""},
		"all of it, held by the CCM":      {enableLeaderMigration(), done, resting(), holder(wellknown.CCM, true), runner.Waiting, "every control plane to run with the flag", "migration lease: "},
		"all of it, held and not renewed": {enableLeaderMigration(), done, resting(), holder("kube-controller-manager", false), runner.Waiting, "every control plane to run with the flag", "migration lease: "},
		"switched, held by the CCM":       {switchProvider(), done, resting(), holder(wellknown.CCM, true), runner.Met, "", ""},
		"switched, held by the KCM":       {switchProvider(), done, resting(), holder("kube-controller-manager", true), runner.Waiting, "every machine to run with the external provider", "migration lease: "},
		"back, held by the CCM":           {switchBack(), done, resting(), holder(wellknown.CCM, true), runner.Met, "", ""},
		"back, held by nobody":            {switchBack(), done, resting(), lease.Leases{}, runner.Waiting, "every machine to run with the in-tree provider", "migration lease: "},
		"flag gone, the KCM leads":        {disableLeaderMigrationAgain(), done, resting(), holder("kube-controller-manager", true), runner.Met, "", ""},
		"flag gone, nobody leads":         {disableLeaderMigrationAgain(), done, resting(), lease.Leases{}, runner.Waiting, "every control plane to run without the flag", "Lease kube-system/kube-controller-manager: "},
		"a machine lags":                  {enableLeaderMigration(), lagging, resting(), holder("kube-controller-manager", true), runner.Waiting, "every host", "Rancher: configuring b; b has no flag yet"},
		"a Node is not Ready":             {enableLeaderMigration(), lagging, down, holder("kube-controller-manager", true), runner.Waiting, "every host", "Node b is not Ready; Rancher: configuring b; b has no flag yet"},
	} {
		s := anEdit(StepEnable, &editor{})
		s.rules = tt.rules
		tt.reading.Leases = tt.leases
		got, err := s.judge(t.Context(), Snapshot{Reading: tt.reading}, tt.now)
		if err != nil || got.Kind != tt.want || got.WaitingFor != tt.waits || !strings.HasPrefix(got.Seen, tt.seen) {
			t.Errorf("%s: %v %+v", name, err, got)
		}
		if got.Kind == runner.Met && (len(got.Evidence) < 2 || got.Evidence[0] != "2 of 2") {
			t.Errorf("%s: evidence %q", name, got.Evidence)
		}
	}
}

// What a Backend asks last is asked only once nothing else is open, and counts.
func TestLastQuestionOfARollout(t *testing.T) {
	for name, tt := range map[string]struct {
		open   []string
		answer string
		err    error
		asked  bool
		want   runner.VerdictKind
	}{
		"something is open": {[]string{"b"}, "", nil, false, runner.Waiting},
		"nothing is":        {nil, "", nil, true, runner.Met},
		"but that":          {nil, "the process before it may still run", nil, true, runner.Waiting},
		"it cannot look":    {nil, "", errAway, true, runner.Met},
	} {
		asked := false
		s := anEdit(StepEnable, &editor{})
		got, err := s.judge(t.Context(), Snapshot{Reading: resting()}, Rollout{Open: tt.open, Last: func(_ context.Context, r *Roll) error {
			if asked = true; tt.answer != "" {
				r.Wait("%s", tt.answer)
			}
			return tt.err
		}})
		if asked != tt.asked || got.Kind != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: asked %t, %v, %+v", name, asked, err, got)
		}
	}
}

// A verdict of the Backend, the brake and arguments that nobody can know come before all
// that is waited for.
func TestVerdictsBeforeTheRollout(t *testing.T) {
	crash := Failed(errors.New("cannot start"))
	frozen := resting()
	frozen.KCMs = []KCM{{Member: "cp", Mirror: component.Mirror{Kubelet: "v1.26.5+rke2r1", Hash: "h", PodHash: true}}}
	starving := resting()
	starving.KCMs = []KCM{{Member: "cp", Known: true, Args: component.Parse([]string{"--cloud-provider=external", "--enable-leader-migration"})}}
	for name, tt := range map[string]struct {
		reading Reading
		now     Rollout
		want    runner.VerdictKind
	}{
		"nothing":           {resting(), Rollout{}, runner.Met},
		"it crashes":        {resting(), Rollout{Verdict: &crash, Open: []string{"b"}}, runner.Failed},
		"it does harm":      {starving, Rollout{Verdict: &crash}, runner.Braked},
		"nobody can see it": {frozen, Rollout{Verdict: &crash}, runner.Failed},
	} {
		s := anEdit(StepEnable, &editor{rollout: tt.now})
		got, err := s.Verify(t.Context(), txFor(t, StepEnable), Snapshot{Reading: tt.reading})
		if err != nil || got.Kind != tt.want {
			t.Errorf("%s: %v %+v", name, err, got)
		}
		if f, ok := fault.As(got.Err); name == "nobody can see it" && (!ok || f.Reason != "ArgumentsFrozen") {
			t.Errorf("%s: %v", name, got.Err)
		}
	}
}

// The plan of a step in which the lease changes hands says so, after what the Backend says.
func TestPlanOfAnEdit(t *testing.T) {
	for id, want := range map[journal.StepID][]string{StepSwitch: {"of the side", handOverNote}, StepEnable: {"of the side"}} {
		plan, err := rowOf(id).make(base{Migration: &Migration{Backend: &editor{}}, ID: id}).Plan(t.Context(), Snapshot{})
		if d := cmp.Diff(want, plan.Notes); err != nil || d != "" {
			t.Errorf("%s: %v %s", id, err, d)
		}
	}
}

// What must hold in the write of each step.
func TestPreconditionsOfEdits(t *testing.T) {
	kcm := func(provider string) Reading {
		return Reading{ProviderSource: "last --cloud-provider is", KCMs: []KCM{{Member: "cp", Kind: "Machine", Known: true, Args: component.Parse([]string{"--cloud-provider=" + provider})}}}
	}
	for name, tt := range map[string]struct {
		rules  editRules
		seen   Snapshot
		reason string
	}{
		"enable, external":      {enableLeaderMigration(), Snapshot{Reading: kcm("external")}, "NotInTree"},
		"enable, no grant":      {enableLeaderMigration(), Snapshot{Reading: kcm("aws")}, "GrantMissing"},
		"switch at P2":          {switchProvider(), Snapshot{Result: at(position.P2)}, "NotReadyToSwitch"},
		"switch between":        {switchProvider(), Snapshot{Result: position.Result{Position: position.P3, Mixed: true}}, "NotReadyToSwitch"},
		"back without a holder": {switchBack(), Snapshot{}, "NotReadyToComeBack"},
	} {
		f, ok := fault.As(tt.rules.precondition(t.Context(), &Migration{}, tt.seen))
		if !ok || f.Reason != tt.reason || f.Fix == "" && f.Wanted == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// While whoever applies the edit is at work, nothing is done to Nodes; cordons of ours
// are given back early only where each control plane is seen to be switched.
func TestMeanwhile(t *testing.T) {
	called := false
	s := anEdit(StepSwitch, &editor{busy: true})
	s.rules.meanwhile = func(context.Context, *Migration, *runner.Tx, Snapshot) error { called = true; return nil }
	if err := s.Tend(t.Context(), txFor(t, StepSwitch), Snapshot{}); err != nil || called {
		t.Errorf("busy: %v, called %t", err, called)
	}
	s.Backend = &editor{}
	if err := s.Tend(t.Context(), txFor(t, StepSwitch), Snapshot{}); err != nil || !called {
		t.Errorf("not busy: %v, called %t", err, called)
	}
}
