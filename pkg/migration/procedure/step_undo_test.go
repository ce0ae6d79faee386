package procedure

import (
	"context"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/chart"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// verdictCase is one change of a cluster at the end of a step, and the verdict of the step.
type verdictCase struct {
	change func(*migration.Snapshot)
	want   runner.VerdictKind
	says   string // in Seen, or the reason of a fault
}

func judges(t *testing.T, id journal.StepID, ok func() migration.Snapshot, cases map[string]verdictCase) {
	t.Helper()
	for name, tt := range cases {
		snap := ok()
		if tt.change != nil {
			tt.change(&snap)
		}
		core := &Migration{Backend: &clustertest.Editor{}, Access: migration.Access{Kube: clustertest.Permissive(nil)}}
		got, err := makeStep(base{Migration: core, ID: id}).Verify(t.Context(), clustertest.TxFor(t, id), snap)
		says := got.Seen
		if got.Kind == runner.Failed {
			says = clustertest.ReasonOf(got.Err)
		}
		if err != nil || got.Kind != tt.want || !strings.Contains(says, tt.says) {
			t.Errorf("%s: %v %+v", name, err, got)
		}
		if got.Kind == runner.Waiting && (got.WaitingFor == "" || got.Progress == "") || got.Kind == runner.Met && len(got.Evidence) == 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Leader migration is off once the CCM runs without the flag everywhere. The final audit needs
// a server and is omitted here.
func TestDisableVerify(t *testing.T) {
	P5 := func() migration.Snapshot { return clustertest.At(position.P5) }
	judges(t, migration.StepDisable, P5, map[string]verdictCase{
		"a pod is missing":         {func(s *migration.Snapshot) { s.Reading.Down.CCMPods = s.Reading.Down.CCMPods[:1] }, runner.Waiting, "1/2 ready"},
		"a pod of the old version": {func(s *migration.Snapshot) { s.Reading.Down.CCM.Updated = 1 }, runner.Waiting, "1/2 pods are of the new version"},
		"no place for a pod": {func(s *migration.Snapshot) {
			s.Reading.Down.Nodes[0].Taints = []downstream.Taint{{Key: "k", Effect: "NoExecute"}}
		}, runner.Failed, "UntoleratedTaint"},
		"between, the lease is there": {func(s *migration.Snapshot) { *s = without() }, runner.Waiting, "2/2 ready; migration lease still there"},
		"between, the lease is gone":  {func(s *migration.Snapshot) { *s = without(); s.Reading.Leases.Migration = lease.Series{} }, runner.Waiting, "2/2 ready; migration lease gone"},
		"between, no place for a pod": {func(s *migration.Snapshot) {
			*s = without()
			s.Reading.Down.Nodes[0].Taints = []downstream.Taint{{Key: "k", Effect: "NoExecute"}}
		}, runner.Failed, "UntoleratedTaint"},
		"mixed":                         {func(s *migration.Snapshot) { s.Result.Mixed = true }, runner.Waiting, "migration lease gone"},
		"at P4 still":                   {func(s *migration.Snapshot) { *s = clustertest.At(position.P4) }, runner.Waiting, "migration lease still there"},
		"the configuration still rolls": {func(s *migration.Snapshot) { s.Reading.Pending = clustertest.Rolling().Pending }, runner.Waiting, "migration lease gone"},
	})
}

func TestUndoDisableVerify(t *testing.T) {
	P4 := func() migration.Snapshot { return clustertest.At(position.P4) }
	judges(t, migration.StepUndoDisable, P4, map[string]verdictCase{
		"the CCM holds the lease": {nil, runner.Met, ""},
		"a pod is missing":        {func(s *migration.Snapshot) { s.Reading.Down.CCMPods = s.Reading.Down.CCMPods[:1] }, runner.Waiting, "1/2 ready"},
		"no place for a pod": {func(s *migration.Snapshot) {
			s.Reading.Down.Nodes[0].Taints = []downstream.Taint{{Key: "k", Effect: "NoExecute"}}
		}, runner.Failed, "UntoleratedTaint"},
		"no holder": {func(s *migration.Snapshot) { s.Reading.Leases.Migration = lease.Series{} }, runner.Waiting, "not created yet"},
		"no renewal was observed": {func(s *migration.Snapshot) {
			s.Reading.Leases.Migration = clustertest.Unwritten(s.Reading.Leases.Migration)
		}, runner.Waiting, "not renewed yet"},
		"a KCM holds it":                  {func(s *migration.Snapshot) { s.Reading.Leases.Migration = s.Reading.Leases.KCM }, runner.Waiting, "kube-controller-manager, renewing"},
		"the position is another":         {func(s *migration.Snapshot) { s.Result = clustertest.ResultAt(position.P5) }, runner.Waiting, position.P5.Summary()},
		"mixed":                           {func(s *migration.Snapshot) { s.Result.Mixed = true }, runner.Waiting, "renewing"},
		"the cluster moves":               {func(s *migration.Snapshot) { s.Reading.Pending = clustertest.Rolling().Pending }, runner.Waiting, "renewing"},
		"a lease that no pod has had yet": {func(s *migration.Snapshot) { s.Reading.Leases.Migration.Last.Holder = "" }, runner.Waiting, "no holder yet"},
	})
}

func TestUndoInstallVerify(t *testing.T) {
	P2 := func() migration.Snapshot { return clustertest.At(position.P2) }
	judges(t, migration.StepUndoInstall, P2, map[string]verdictCase{
		"all of it is gone":      {nil, runner.Met, ""},
		"the DaemonSet is there": {func(s *migration.Snapshot) { s.Reading.Down.CCM = clustertest.CCM(true, 2) }, runner.Waiting, "DaemonSet kube-system/aws-cloud-controller-manager is still there"},
		"a pod is ending": {func(s *migration.Snapshot) {
			s.Reading.Down.CCMPods = append(s.Reading.Down.CCMPods, clustertest.CCMPod("cp-0", true))
		}, runner.Waiting, "1 of its pods are still there"},
		"no takeover": {func(s *migration.Snapshot) { s.Reading.Leases.Migration = lease.Series{} }, runner.Waiting, "migration lease: not created yet"},
		"no renewal was observed": {func(s *migration.Snapshot) {
			s.Reading.Leases.Migration = clustertest.Unwritten(s.Reading.Leases.Migration)
		}, runner.Waiting, "acquired by kube-controller-manager, not renewed yet"},
		"the CCM has it still": {func(s *migration.Snapshot) {
			s.Reading.Leases = clustertest.LeasesAt(position.P4)
			s.Reading.Leases.CCM.Last.Manager = ""
		}, runner.Waiting, "aws-cloud-controller-manager, renewing"},
		"no flag, no lease wanted": {func(s *migration.Snapshot) {
			s.Result = clustertest.ResultAt(position.P1)
			s.Reading.Leases.Migration = lease.Series{}
		}, runner.Met, ""},
		"the CCM's own lease is left": {func(s *migration.Snapshot) { *s = ended() }, runner.Waiting, "the CCM's own Lease kube-system/cloud-controller-manager is not idle"},
		"another cloud's lease is left": {func(s *migration.Snapshot) {
			s.Reading.Leases.CCM = clustertest.Renewing("x_1", "cloud-controller-manager")
		}, runner.Met, ""},
		"Helm's record is left": {func(s *migration.Snapshot) { s.Reading.Down.Record = true }, runner.Waiting, chart.HelmObject + " is recorded still"},
		"the cluster moves":     {func(s *migration.Snapshot) { s.Reading.Pending = clustertest.Rolling().Pending }, runner.Waiting, "Machine cp waits for its plan"},
		"our pause": {func(s *migration.Snapshot) {
			s.Reading.Pending = []migration.PendingCondition{{Object: "x", Seen: "paused", OurPause: true}}
		}, runner.Met, ""},
	})
}

func TestUndoAccessVerify(t *testing.T) {
	P0 := func() migration.Snapshot { return clustertest.At(position.P0) }
	judges(t, migration.StepUndoAccess, P0, map[string]verdictCase{
		"both are gone":                {nil, runner.Met, ""},
		"the lease is there":           {func(s *migration.Snapshot) { s.Reading.Leases.Migration = clustertest.Renewing("cp-0_kcm", "") }, runner.Waiting, "the lease is still there"},
		"the grant is there":           {func(s *migration.Snapshot) { s.Reading.Down.OwnGrant = true }, runner.Waiting, "the lease is gone, the grant is still there"},
		"one has the flag":             {func(s *migration.Snapshot) { s.Reading.KCMs[1] = clustertest.AKCM("cp-1", "aws", true) }, runner.Failed, "FlagStillThere"},
		"the CCM is there":             {func(s *migration.Snapshot) { *s = clustertest.WithCCM(*s, true) }, runner.Failed, "CCMStillThere"},
		"the right has another source": {func(s *migration.Snapshot) { s.Reading.Down.MayGet, s.Reading.Down.MayUpdate = true, true }, runner.Met, ""},
	})
	step := makeStep(base{Migration: &Migration{}, ID: migration.StepUndoAccess})
	if got, err := step.Verify(t.Context(), nil, P0()); err != nil || got.Stable != 1 {
		t.Errorf("a deleted object was read twice: %v %+v", err, got)
	}
	if plan, err := step.Plan(t.Context(), P0()); err != nil || len(plan.Summary) != 1 {
		t.Errorf("%v %+v", err, plan)
	}
}

// An undo begins on a cluster at rest, during a step that it undoes, or behind a pause. It
// waits for an unfinished rollout of an earlier run.
func TestUndoPreflight(t *testing.T) {
	moving := func(s *migration.Snapshot) { s.Reading.Pending = clustertest.Rolling().Pending }
	left := journal.Record{LeftOpen: true, Intents: []journal.Intent{{Step: migration.StepInstall, Run: "earlier"}}}
	for name, tt := range map[string]struct {
		change  func(*migration.Snapshot)
		intents []journal.StepID
		want    runner.VerdictKind
		reason  string
	}{
		"at rest":             {nil, nil, runner.Met, ""},
		"no way back":         {func(s *migration.Snapshot) { s.Reading.Version = "v1.27.1+rke2r1" }, nil, runner.Failed, "NoWayBack"},
		"others move it":      {moving, nil, runner.Failed, "NotAtRest"},
		"a Node is not Ready": {func(s *migration.Snapshot) { s.Reading.Down.Nodes[2].Ready.Status = "Unknown" }, nil, runner.Failed, "NotAtRest"},
		"a pause of an earlier run": {func(s *migration.Snapshot) {
			s.Reading.Pending = []migration.PendingCondition{{Object: "x", Seen: "paused", OurPause: true}}
		}, nil, runner.Met, ""},
		"a pause, and a Node is not Ready": {func(s *migration.Snapshot) {
			s.Reading.Pending = []migration.PendingCondition{{Object: "x", Seen: "paused", OurPause: true}}
			s.Reading.Down.Nodes[2].Ready.Status = "Unknown"
		}, nil, runner.Failed, "NotAtRest"},
		"in the middle of the switch": {moving, []journal.StepID{migration.StepSwitch}, runner.Met, ""},
		"others, long after the flag": {moving, []journal.StepID{migration.StepEnable}, runner.Failed, "NotAtRest"},
	} {
		core := &Migration{Backend: &clustertest.Editor{}}
		tx, snap := clustertest.TxFor(t, migration.StepUndoPreflight), clustertest.At(position.P4)
		clustertest.NotePrint(t, tx, clustertest.Prints()...)
		for _, id := range tt.intents {
			tx = announced(t, id)
			clustertest.NotePrint(t, tx, clustertest.Prints()...)
		}
		snap.Record = tx.Record()
		if tt.change != nil {
			tt.change(&snap)
		}
		step := &undoPreflight{base{Migration: core, ID: migration.StepUndoPreflight}}
		got, err := step.Verify(t.Context(), tx, snap)
		if err != nil || got.Kind != tt.want || clustertest.ReasonOf(got.Err) != tt.reason || got.Kind == runner.Met && got.Stable != 1 {
			t.Errorf("%s: %v %+v", name, err, got)
		}
	}
	for name, tt := range map[string]struct {
		run    string
		change func(*migration.Snapshot)
		waits  bool
	}{
		"left by an earlier run": {"now", moving, true},
		"begun by this run":      {"earlier", moving, false},
		"nothing moves":          {"now", nil, false},
		"it was seen to its end": {"now", func(s *migration.Snapshot) { moving(s); s.Record.LeftOpen = false }, false},
	} {
		snap := clustertest.At(position.P4)
		snap.Record = left
		if tt.change != nil {
			tt.change(&snap)
		}
		tx, err := runner.NewTx(t.Context(), runner.Info{ID: migration.StepUndoPreflight}, runner.Options{RunID: tt.run})
		if err != nil {
			t.Fatal(err)
		}
		if got := (&Migration{Backend: &clustertest.Editor{}}).waitForInterruptedRun(tx, snap); (got != nil) != tt.waits || tt.waits && got.Seen != "Machine cp: waits for its plan" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// undo-install-ccm writes nothing if nothing is left, or if no kube-controller-manager would
// take over.
func TestUndoInstallDo_manifest(t *testing.T) {
	for name, tt := range map[string]struct {
		at      position.Position
		change  func(*migration.Snapshot)
		removes bool
		reason  string
	}{
		"installed by a document":     {position.P3, nil, true, ""},
		"the document alone is there": {position.P2, nil, true, ""},
		"nothing is, by Helm":         {position.P2, func(s *migration.Snapshot) { s.InstallMethod = migration.InstallHelm }, false, ""},
		"one has no flag":             {position.P3, func(s *migration.Snapshot) { s.Reading.KCMs[0] = clustertest.AKCM("cp-0", "aws", false) }, false, "NobodyToHandOverTo"},
		"the cluster moves":           {position.P3, func(s *migration.Snapshot) { s.Reading.Pending = clustertest.Rolling().Pending }, false, "NotAtRest"},
		"a pause of an earlier run":   {position.P3, func(s *migration.Snapshot) { s.Reading.Pending = []migration.PendingCondition{{OurPause: true}} }, true, ""},
	} {
		side, snap := &clustertest.DocumentBackend{Editor: &clustertest.Editor{}}, clustertest.At(tt.at)
		if snap.InstallMethod = migration.InstallManifest; tt.change != nil {
			tt.change(&snap)
		}
		core := &Migration{Backend: side}
		err := makeStep(base{Migration: core, ID: migration.StepUndoInstall}).Do(t.Context(), clustertest.TxFor(t, migration.StepUndoInstall), snap)
		if clustertest.ReasonOf(err) != tt.reason || (len(side.Applied) == 1) != tt.removes {
			t.Errorf("%s: %v, %d removed", name, err, len(side.Applied))
		}
	}
}

// announced returns a Tx whose journal announces a step.
func announced(t *testing.T, id journal.StepID) *runner.Tx {
	t.Helper()
	tx := clustertest.TxFor(t, id)
	if err := tx.Effect(t.Context(), journal.Intent{What: "edit"}, func(context.Context) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return tx
}
