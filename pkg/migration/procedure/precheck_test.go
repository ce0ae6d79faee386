package procedure

import (
	"context"
	"errors"
	"strings"
	"testing"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func TestRequireInformed(t *testing.T) {
	fleet, argo := migration.Owner{Name: "Fleet", Mark: "label objectset.rio.cattle.io/hash"}, migration.Owner{Name: "Argo CD", Mark: "annotation argocd.argoproj.io/tracking-id"}
	for name, tt := range map[string]struct {
		owners   []migration.Owner
		informed []string
		fix      string // fix of the refusal, or empty
	}{
		"no owner":                {nil, nil, ""},
		"no owner, but an option": {nil, []string{"terraform"}, ""},
		"not informed":            {[]migration.Owner{fleet}, nil, "--owner-informed=fleet"},
		"informed":                {[]migration.Owner{fleet}, []string{"Fleet"}, ""},
		"as people write":         {[]migration.Owner{argo}, []string{"argo-cd"}, ""},
		"one of two":              {[]migration.Owner{fleet, argo}, []string{"fleet"}, "--owner-informed=argocd"},
		"both":                    {[]migration.Owner{fleet, argo}, []string{"fleet", "argocd"}, ""},
		"another owner informed":  {[]migration.Owner{fleet}, []string{"terraform"}, "--owner-informed=fleet"},
	} {
		c := &Migration{Access: migration.Access{Options: migration.Options{OwnersInformed: tt.informed}}}
		snap := migration.Snapshot{Reading: migration.Reading{Object: "Cluster fleet-default/demo", Owners: tt.owners}, Result: position.Result{Position: position.P3}}
		begun := runner.Observation{States: map[journal.StepID]runner.State{migration.StepSwitch: {Kind: runner.InProgress}}}
		for way, err := range map[string]error{"forward": c.RequireInformed(snap), "undo": c.Undo().RequireInformed(snap),
			"a run": c.Precheck(t.Context(), snap, runner.Observation{}), "a resumed run": c.Precheck(t.Context(), snap, begun),
			"a run back": c.Undo().Precheck(t.Context(), snap, begun)} {
			f, refused := fault.As(err)
			switch {
			case refused != (tt.fix != ""):
				t.Errorf("%s, %s: %v", name, way, err)
			case refused && (f.Class != fault.Check || !strings.HasSuffix(f.Fix, tt.fix) || !strings.HasPrefix(f.Seen, "is owned by "+tt.owners[len(tt.owners)-1].String()+": ") || !strings.Contains(f.Seen, "two managers")):
				t.Errorf("%s, %s: %+v", name, way, f)
			}
		}
	}
}

// Failing checks stop a run that has begun nothing. They do not stop a step that a killed run
// left in progress.
func TestPrecheck_unstarted_runsChecks(t *testing.T) {
	c := &Migration{Access: migration.Access{Clock: clock.RealClock{}}, Backend: awayBackend{}}
	snap := migration.Snapshot{Result: clustertest.ResultAt(position.P0)}
	if err := c.Precheck(t.Context(), snap, runner.Observation{}); !errors.Is(err, clustertest.ErrAway) {
		t.Errorf("no checks on an unstarted cluster: %v", err)
	}
	begun := runner.Observation{States: map[journal.StepID]runner.State{migration.StepEnable: {Kind: runner.InProgress}}}
	if err := c.Precheck(t.Context(), snap, begun); err != nil {
		t.Errorf("a step in progress: %v", err)
	}
}

// Every step that could wait stops at the pause of an earlier run's finding, which only a user ends,
// and names a finding that is still there instead. A requested pause, a user's own and an undo do
// not stop it.
func TestRequireDecision(t *testing.T) {
	ours := migration.PendingCondition{Object: "x", Seen: "paused by awsmigrate (run-1)", Wanted: "not paused", OurPause: true}
	others := migration.PendingCondition{Object: "x", Seen: "paused by annotation", Wanted: "not paused"}
	for name, tt := range map[string]struct {
		pending []migration.PendingCondition
		change  func(*Migration, *migration.Snapshot)
		want    string
	}{
		"of a finding": {[]migration.PendingCondition{others, ours}, func(*Migration, *migration.Snapshot) {}, "PausedByRun"},
		"requested":    {[]migration.PendingCondition{ours}, func(_ *Migration, s *migration.Snapshot) { s.Record.RequestedPause = "run-1" }, ""},
		"a user's own": {[]migration.PendingCondition{others}, func(*Migration, *migration.Snapshot) {}, ""},
		"an undo":      {[]migration.PendingCondition{ours}, func(m *Migration, _ *migration.Snapshot) { *m = *m.Undo() }, ""},
	} {
		m, snap := &Migration{}, clustertest.At(position.P4)
		snap.Reading.Pending = tt.pending
		tt.change(m, &snap)
		if got := clustertest.ReasonOf(m.requireDecision(snap)); got != tt.want {
			t.Errorf("%s: %q, wanted %q", name, got, tt.want)
		}
	}
	for _, id := range []journal.StepID{migration.StepEnable, migration.StepInstall, migration.StepHandOver, migration.StepSwitch, migration.StepDisable} {
		core := &Migration{Access: migration.Access{Kube: clustertest.Permissive(nil)}, Backend: &clustertest.Editor{}}
		snap := clustertest.At(position.P3)
		snap.Reading.Pending = []migration.PendingCondition{ours}
		step, tx, wait := makeStep(base{Migration: core, ID: id}), clustertest.TxFor(t, id), &runner.Verdict{Kind: runner.Waiting}
		for _, want := range []string{"PausedByRun", "StarvingLease"} {
			got, err := step.Verify(t.Context(), tx, snap)
			if err != nil || clustertest.ReasonOf(got.Err) != want {
				t.Errorf("%s: %+v, %v, wanted %s", id, got, err, want)
			}
			if got, err := core.judgeFailure(snap, id, wait, errors.New("a check fails")); err != nil || clustertest.ReasonOf(got.Err) != want {
				t.Errorf("%s, a preflight that waits for it: %+v, %v, wanted %s", id, got, err, want)
			}
			snap.Reading.KCMs = []migration.KCM{{Member: "cp", Known: true, Args: component.Parse([]string{"--cloud-provider=external", "--enable-leader-migration"})}}
		}
	}
}

// awayBackend is a configuration that cannot be read.
type awayBackend struct{ migration.Backend }

func (awayBackend) Read(context.Context, journal.Record) (migration.Config, error) {
	return nil, clustertest.ErrAway
}
