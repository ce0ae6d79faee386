package migration

import (
	"context"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// verdictCase is one change of a cluster on which a step's end is seen, and what the step
// then says.
type verdictCase struct {
	change func(*Snapshot)
	want   runner.VerdictKind
	says   string // in what is seen, or the reason of a fault
}

func judges(t *testing.T, id journal.StepID, ok func() Snapshot, cases map[string]verdictCase) {
	t.Helper()
	for name, tt := range cases {
		seen := ok()
		if tt.change != nil {
			tt.change(&seen)
		}
		core := &Migration{Backend: &editor{}, Access: Access{Kube: permissive(nil)}}
		got, err := makeStep(base{Migration: core, ID: id}).Verify(t.Context(), txFor(t, id), seen)
		says := got.Seen
		if got.Kind == runner.Failed {
			says = reasonOf(got.Err)
		}
		if err != nil || got.Kind != tt.want || !strings.Contains(says, tt.says) {
			t.Errorf("%s: %v %+v", name, err, got)
		}
		if got.Kind == runner.Waiting && (got.WaitingFor == "" || got.Progress == "") || got.Kind == runner.Met && len(got.Evidence) == 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Leader migration is off once the CCM runs without the flag everywhere. What the step
// does at its end, an audit, reads a server and is left out here.
func TestDisableWaits(t *testing.T) {
	P5 := func() Snapshot { return clusterAt(position.P5) }
	judges(t, StepDisable, P5, map[string]verdictCase{
		"a pod is missing":         {func(s *Snapshot) { s.Reading.Down.CCMPods = s.Reading.Down.CCMPods[:1] }, runner.Waiting, "1/2 ready"},
		"a pod of the old version": {func(s *Snapshot) { s.Reading.Down.CCM.Updated = 1 }, runner.Waiting, "1/2 pods are of the new version"},
		"no place for a pod": {func(s *Snapshot) {
			s.Reading.Down.Nodes[0].Taints = []downstream.Taint{{Key: "k", Effect: "NoExecute"}}
		}, runner.Failed, "UntoleratedTaint"},
		"between, the lease is there": {func(s *Snapshot) { *s = without() }, runner.Waiting, "2/2 ready; migration lease still there"},
		"between, the lease is gone":  {func(s *Snapshot) { *s = without(); s.Reading.Leases.Migration = lease.Series{} }, runner.Waiting, "2/2 ready; migration lease gone"},
		"between, no place for a pod": {func(s *Snapshot) {
			*s = without()
			s.Reading.Down.Nodes[0].Taints = []downstream.Taint{{Key: "k", Effect: "NoExecute"}}
		}, runner.Failed, "UntoleratedTaint"},
		"mixed":                         {func(s *Snapshot) { s.Result.Mixed = true }, runner.Waiting, "migration lease gone"},
		"at P4 still":                   {func(s *Snapshot) { *s = clusterAt(position.P4) }, runner.Waiting, "migration lease still there"},
		"the configuration still rolls": {func(s *Snapshot) { s.Reading.Unrest = rolling().Unrest }, runner.Waiting, "migration lease gone"},
	})
}

func TestUndoDisable(t *testing.T) {
	P4 := func() Snapshot { return clusterAt(position.P4) }
	judges(t, StepUndoDisable, P4, map[string]verdictCase{
		"the CCM holds the lease": {nil, runner.Met, ""},
		"a pod is missing":        {func(s *Snapshot) { s.Reading.Down.CCMPods = s.Reading.Down.CCMPods[:1] }, runner.Waiting, "1/2 ready"},
		"no place for a pod": {func(s *Snapshot) {
			s.Reading.Down.Nodes[0].Taints = []downstream.Taint{{Key: "k", Effect: "NoExecute"}}
		}, runner.Failed, "UntoleratedTaint"},
		"nobody holds the lease":          {func(s *Snapshot) { s.Reading.Leases.Migration = lease.Series{} }, runner.Waiting, "no lease, not held"},
		"nobody was seen to renew it":     {func(s *Snapshot) { s.Reading.Leases.Migration = unwritten(s.Reading.Leases.Migration) }, runner.Waiting, "not seen renewing"},
		"a KCM holds it":                  {func(s *Snapshot) { s.Reading.Leases.Migration = s.Reading.Leases.KCM }, runner.Waiting, "kube-controller-manager, renewing"},
		"the position is another":         {func(s *Snapshot) { s.Result = at(position.P5) }, runner.Waiting, position.P5.Summary()},
		"mixed":                           {func(s *Snapshot) { s.Result.Mixed = true }, runner.Waiting, "renewing"},
		"the cluster moves":               {func(s *Snapshot) { s.Reading.Unrest = rolling().Unrest }, runner.Waiting, "renewing"},
		"a lease that no pod has had yet": {func(s *Snapshot) { s.Reading.Leases.Migration.Last.Holder = "" }, runner.Waiting, "nobody, not held"},
	})
}

func TestUndoInstall(t *testing.T) {
	P2 := func() Snapshot { return clusterAt(position.P2) }
	judges(t, StepUndoInstall, P2, map[string]verdictCase{
		"all of it is gone":             {nil, runner.Met, ""},
		"the DaemonSet is there":        {func(s *Snapshot) { s.Reading.Down.CCM = aCCM(true, 2) }, runner.Waiting, "DaemonSet kube-system/aws-cloud-controller-manager is still there"},
		"a pod is ending":               {func(s *Snapshot) { s.Reading.Down.CCMPods = append(s.Reading.Down.CCMPods, aCCMPod("cp-0", true)) }, runner.Waiting, "1 of its pods are still there"},
		"nobody has taken over":         {func(s *Snapshot) { s.Reading.Leases.Migration = lease.Series{} }, runner.Waiting, "migration lease: no lease, not held"},
		"nobody was seen to renew it":   {func(s *Snapshot) { s.Reading.Leases.Migration = unwritten(s.Reading.Leases.Migration) }, runner.Waiting, "kube-controller-manager, not seen renewing"},
		"the CCM has it still":          {func(s *Snapshot) { s.Reading.Leases = leasesAt(position.P4); s.Reading.Leases.CCM.Last.Manager = "" }, runner.Waiting, "aws-cloud-controller-manager, renewing"},
		"no flag, no lease wanted":      {func(s *Snapshot) { s.Result = at(position.P1); s.Reading.Leases.Migration = lease.Series{} }, runner.Met, ""},
		"the CCM's own lease is left":   {func(s *Snapshot) { *s = ended() }, runner.Waiting, "the CCM's own Lease kube-system/cloud-controller-manager is not idle"},
		"another cloud's lease is left": {func(s *Snapshot) { s.Reading.Leases.CCM = renewing("x_1", "cloud-controller-manager") }, runner.Met, ""},
		"Helm's record is left":         {func(s *Snapshot) { s.Reading.Down.Record = true }, runner.Waiting, helmObject + " is recorded still"},
		"the cluster moves":             {func(s *Snapshot) { s.Reading.Unrest = rolling().Unrest }, runner.Waiting, "Machine cp waits for its plan"},
		"a brake holds it":              {func(s *Snapshot) { s.Reading.Unrest = []Unrest{{Object: "x", Seen: "paused", OurPause: true}} }, runner.Met, ""},
	})
}

func TestUndoLeaseAccess(t *testing.T) {
	P0 := func() Snapshot { return clusterAt(position.P0) }
	judges(t, StepUndoAccess, P0, map[string]verdictCase{
		"both are gone":         {nil, runner.Met, ""},
		"the lease is there":    {func(s *Snapshot) { s.Reading.Leases.Migration = renewing("cp-0_kcm", "") }, runner.Waiting, "lease there: true, grant there: false"},
		"the grant is there":    {func(s *Snapshot) { s.Reading.Down.OwnGrant = true }, runner.Waiting, "lease there: false, grant there: true"},
		"one has the flag":      {func(s *Snapshot) { s.Reading.KCMs[1] = aKCM("cp-1", "aws", true) }, runner.Failed, "FlagStillThere"},
		"the CCM is there":      {func(s *Snapshot) { *s = withCCM(*s, true) }, runner.Failed, "CCMStillThere"},
		"somebody else's right": {func(s *Snapshot) { s.Reading.Down.MayGet, s.Reading.Down.MayUpdate = true, true }, runner.Met, ""},
	})
	step := makeStep(base{Migration: &Migration{}, ID: StepUndoAccess})
	if got, err := step.Verify(t.Context(), nil, P0()); err != nil || got.Stable != 1 {
		t.Errorf("what is deleted is not looked at twice: %v %+v", err, got)
	}
	if plan, err := step.Plan(t.Context(), P0()); err != nil || len(plan.Summary) != 1 {
		t.Errorf("%v %+v", err, plan)
	}
}

// A way back begins on a cluster at rest, in the middle of a step that it takes back, or
// behind a brake. What an earlier run left moving is waited for.
func TestUndoPreflight(t *testing.T) {
	moving := func(s *Snapshot) { s.Reading.Unrest = rolling().Unrest }
	left := journal.Record{LeftOpen: true, Intents: []journal.Intent{{Step: StepInstall, Run: "earlier"}}}
	for name, tt := range map[string]struct {
		change  func(*Snapshot)
		intents []journal.StepID // of this run
		want    runner.VerdictKind
		reason  string
	}{
		"at rest":                   {nil, nil, runner.Met, ""},
		"no way back":               {func(s *Snapshot) { s.Reading.Version = "v1.27.1+rke2r1" }, nil, runner.Failed, "NoWayBack"},
		"others move it":            {moving, nil, runner.Failed, "NotAtRest"},
		"a Node is not Ready":       {func(s *Snapshot) { s.Reading.Down.Nodes[2].Ready.Status = "Unknown" }, nil, runner.Failed, "NotAtRest"},
		"a brake of an earlier run": {func(s *Snapshot) { s.Reading.Unrest = []Unrest{{Object: "x", Seen: "paused", OurPause: true}} }, nil, runner.Met, ""},
		"a brake, and a Node is not Ready": {func(s *Snapshot) {
			s.Reading.Unrest = []Unrest{{Object: "x", Seen: "paused", OurPause: true}}
			s.Reading.Down.Nodes[2].Ready.Status = "Unknown"
		}, nil, runner.Failed, "NotAtRest"},
		"in the middle of the switch": {moving, []journal.StepID{StepSwitch}, runner.Met, ""},
		"others, long after the flag": {moving, []journal.StepID{StepEnable}, runner.Failed, "NotAtRest"},
	} {
		core := &Migration{Backend: &editor{}}
		tx, seen := txFor(t, StepUndoPreflight), clusterAt(position.P4)
		notePrint(t, tx, prints()...)
		for _, id := range tt.intents {
			tx = announced(t, id)
			notePrint(t, tx, prints()...)
		}
		seen.Record = tx.Record()
		if tt.change != nil {
			tt.change(&seen)
		}
		step := &undoPreflight{base{Migration: core, ID: StepUndoPreflight}}
		got, err := step.Verify(t.Context(), tx, seen)
		if err != nil || got.Kind != tt.want || reasonOf(got.Err) != tt.reason || got.Kind == runner.Met && got.Stable != 1 {
			t.Errorf("%s: %v %+v", name, err, got)
		}
	}
	for name, tt := range map[string]struct {
		run    string
		change func(*Snapshot)
		waits  bool
	}{
		"left by an earlier run": {"now", moving, true},
		"begun by this run":      {"earlier", moving, false},
		"nothing moves":          {"now", nil, false},
		"it was seen to its end": {"now", func(s *Snapshot) { moving(s); s.Record.LeftOpen = false }, false},
	} {
		seen := clusterAt(position.P4)
		seen.Record = left
		if tt.change != nil {
			tt.change(&seen)
		}
		tx, err := runner.NewTx(t.Context(), runner.Info{ID: StepUndoPreflight}, runner.Options{RunID: tt.run})
		if err != nil {
			t.Fatal(err)
		}
		if got := (&Migration{Backend: &editor{}}).leftMoving(tx, seen); (got != nil) != tt.waits || tt.waits && got.Seen != "Machine cp: waits for its plan" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// What undo-install-ccm writes: nothing where nothing is left, and nothing that nobody
// takes over from.
func TestUndoInstallRemovesTheDocument(t *testing.T) {
	for name, tt := range map[string]struct {
		at      position.Position
		change  func(*Snapshot)
		removes bool
		reason  string
	}{
		"installed by a document":            {position.P3, nil, true, ""},
		"the document alone is there":        {position.P2, nil, true, ""},
		"nothing is, by Helm":                {position.P2, func(s *Snapshot) { s.InstallMethod = InstallHelm }, false, ""},
		"one has no flag":                    {position.P3, func(s *Snapshot) { s.Reading.KCMs[0] = aKCM("cp-0", "aws", false) }, false, "NobodyToHandOverTo"},
		"the cluster moves":                  {position.P3, func(s *Snapshot) { s.Reading.Unrest = rolling().Unrest }, false, "NotAtRest"},
		"a brake of an earlier run holds it": {position.P3, func(s *Snapshot) { s.Reading.Unrest = []Unrest{{OurPause: true}} }, true, ""},
	} {
		side, seen := &documented{editor: &editor{}}, clusterAt(tt.at)
		if seen.InstallMethod = InstallManifest; tt.change != nil {
			tt.change(&seen)
		}
		core := &Migration{Backend: side}
		err := makeStep(base{Migration: core, ID: StepUndoInstall}).Do(t.Context(), txFor(t, StepUndoInstall), seen)
		if reasonOf(err) != tt.reason || (len(side.applied) == 1) != tt.removes {
			t.Errorf("%s: %v, %d removed", name, err, len(side.applied))
		}
	}
}

// announced is a Tx after a journal in which a step announced something.
func announced(t *testing.T, id journal.StepID) *runner.Tx {
	t.Helper()
	tx := txFor(t, id)
	if err := tx.Effect(t.Context(), journal.Intent{What: "edit"}, func(context.Context) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return tx
}
