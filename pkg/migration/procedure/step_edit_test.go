package procedure

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// anEdit returns an edit step without preconditions.
func anEdit(id journal.StepID, e *clustertest.Editor) *editStep {
	m := New(migration.Access{Clock: clock.RealClock{}, Kube: fake.NewClientset()}, e)
	return &editStep{base{Migration: m, ID: id}, editRules{waitingFor: "the edit", proofFormat: "%d of %d"}}
}

// An edit is not written if it is refused, if the cluster is not at rest, or if the
// precondition fails. An undo during a rollout ends that rollout and does not wait for rest.
func TestRequireWritable(t *testing.T) {
	refused, unmet := errors.New("uneditable"), errors.New("not yet")
	half := migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultBetween(position.P3, position.P4),
		Record: journal.Record{Intents: []journal.Intent{{Step: migration.StepSwitch}}}}
	for name, tt := range map[string]struct {
		id      journal.StepID
		snap    migration.Snapshot
		refused error
		unmet   error
		writes  bool
		says    string
	}{
		"at rest":                         {id: migration.StepSwitch, snap: migration.Snapshot{Reading: clustertest.Resting()}, writes: true},
		"refused":                         {id: migration.StepSwitch, snap: migration.Snapshot{Reading: clustertest.Resting()}, refused: refused, says: "uneditable"},
		"not at rest":                     {id: migration.StepSwitch, snap: migration.Snapshot{Reading: clustertest.Rolling()}, says: "waits for its plan"},
		"precondition":                    {id: migration.StepSwitch, snap: migration.Snapshot{Reading: clustertest.Resting()}, unmet: unmet, says: "not yet"},
		"back at rest":                    {id: migration.StepUndoSwitch, snap: migration.Snapshot{Reading: clustertest.Resting(), Result: clustertest.ResultAt(position.P4)}, writes: true},
		"back, others move it":            {id: migration.StepUndoSwitch, snap: migration.Snapshot{Reading: clustertest.Rolling(), Result: clustertest.ResultAt(position.P4)}, says: "waits for its plan"},
		"back in the middle of a roll":    {id: migration.StepUndoSwitch, snap: half, writes: true},
		"back, and the lease is no one's": {id: migration.StepUndoSwitch, snap: half, unmet: unmet, says: "not yet"},
	} {
		e := &clustertest.Editor{Open: []migration.Edit{clustertest.Change("a")}}
		e.Open[0].Refused = tt.refused
		s := anEdit(tt.id, e)
		s.rules.precondition = func(context.Context, *Migration, migration.Snapshot) error { return tt.unmet }
		err := s.Do(t.Context(), clustertest.TxFor(t, tt.id), tt.snap)
		if wrote := slices.Contains(e.Did, "write a"); wrote != tt.writes {
			t.Errorf("%s: wrote %t: %v", name, wrote, err)
		}
		// The step observes the cluster after a write, which this Backend cannot.
		if tt.writes != errors.Is(err, clustertest.ErrAway) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// If nothing is left to edit, the configuration is applied.
func TestEditStepDo_nothingToEdit_applies(t *testing.T) {
	e := &clustertest.Editor{}
	if err := anEdit(migration.StepEnable, e).Do(t.Context(), clustertest.TxFor(t, migration.StepEnable), migration.Snapshot{Reading: clustertest.Rolling()}); err != nil || !slices.Equal(e.Did, []string{"apply"}) {
		t.Errorf("%v, %v", e.Did, err)
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

// A rollout is over once nothing is pending: the writer, the Nodes, the cordons, the machines
// and the lease. The Nodes come first: the other parts wait for them.
func TestEditStepJudge_pendingParts_wait(t *testing.T) {
	done := migration.Rollout{Progress: "p", By: migration.ByRancher()}
	all, some := migration.Reached{Done: 2, Total: 2}, migration.Reached{Done: 1, Total: 2, Open: []string{"b has no flag yet"}}
	lagging := migration.Rollout{Applying: []string{"Rancher: configuring b"}, Left: []string{"a block is left"}}
	down := clustertest.Resting()
	down.Down.Nodes = []downstream.Node{{Name: "b"}}
	for name, tt := range map[string]struct {
		rules   editRules
		now     migration.Rollout
		reading migration.Reading
		leases  lease.Leases
		want    runner.VerdictKind
		waits   string
		seen    string
	}{
		"all of it, held by the KCM":      {enableLeaderMigration(), done, clustertest.Resting(), holder("kube-controller-manager", true), runner.Met, "", ""},
		"all of it, held by the CCM":      {enableLeaderMigration(), done, clustertest.Resting(), holder(wellknown.CCM, true), runner.Waiting, "the last conditions of the step", "migration lease: "},
		"all of it, held and not renewed": {enableLeaderMigration(), done, clustertest.Resting(), holder("kube-controller-manager", false), runner.Waiting, "the last conditions of the step", "migration lease: "},
		"switched, held by the CCM":       {switchProvider(false), done, clustertest.Resting(), holder(wellknown.CCM, true), runner.Met, "", ""},
		"switched, held by the KCM":       {switchProvider(false), done, clustertest.Resting(), holder("kube-controller-manager", true), runner.Waiting, "the last conditions of the step", "migration lease: "},
		"back, held by the CCM":           {switchBack(), done, clustertest.Resting(), holder(wellknown.CCM, true), runner.Met, "", ""},
		"back, no holder":                 {switchBack(), done, clustertest.Resting(), lease.Leases{}, runner.Waiting, "the last conditions of the step", "migration lease: "},
		"flag gone, the KCM leads":        {disableLeaderMigrationAgain(), done, clustertest.Resting(), holder("kube-controller-manager", true), runner.Met, "", ""},
		"flag gone, no leader":            {disableLeaderMigrationAgain(), done, clustertest.Resting(), lease.Leases{}, runner.Waiting, "the last conditions of the step", "Lease kube-system/kube-controller-manager: "},
		"a machine lags":                  {enableLeaderMigration(), lagging, clustertest.Resting(), holder("kube-controller-manager", true), runner.Waiting, "every control plane to run with the flag", "Rancher: configuring b; b has no flag yet; a block is left"},
		"a Node is not Ready":             {enableLeaderMigration(), lagging, down, holder("kube-controller-manager", true), runner.Waiting, "every control plane to run with the flag", "Node b is not Ready; Rancher: configuring b; b has no flag yet; and 1 more"},
	} {
		s := anEdit(migration.StepEnable, &clustertest.Editor{})
		s.rules = tt.rules
		tt.reading.Leases = tt.leases
		reached := all
		if len(tt.now.Applying) > 0 {
			reached = some
		}
		got, err := s.judge(t.Context(), migration.Snapshot{Reading: tt.reading}, tt.now, reached)
		if err != nil || got.Kind != tt.want || !strings.HasPrefix(got.WaitingFor, tt.waits) || !strings.HasPrefix(got.Seen, tt.seen) {
			t.Errorf("%s: %v %+v", name, err, got)
		}
		if got.Kind == runner.Met && (len(got.Evidence) < 2 || !strings.HasPrefix(got.Evidence[0], "2 of 2 ")) {
			t.Errorf("%s: evidence %q", name, got.Evidence)
		}
	}
}

// The leases of Nodes are read during a whole rollout. Processes from before are named, and an
// error of the API is reported, only if nothing else is pending.
func TestJudge_processesFromBefore_namedLast(t *testing.T) {
	for name, tt := range map[string]struct {
		open       []string
		staticPods bool
		away       bool
		err        error
		asked      bool
		want       runner.VerdictKind
		seen       string // prefix
	}{
		"something is open":                 {open: []string{"b"}, staticPods: true, asked: true, want: runner.Waiting, seen: "b"},
		"something is open, it is not read": {open: []string{"b"}, staticPods: true, away: true, asked: true, want: runner.Waiting, seen: "b"},
		"nothing is":                        {staticPods: true, asked: true, want: runner.Waiting, seen: "kube-controller-manager of"}, // no renewal was observed
		"rke stops containers first":        {want: runner.Met},
		"it cannot be read":                 {staticPods: true, away: true, err: clustertest.ErrAway, asked: true, want: runner.Met},
	} {
		asked := false
		client := fake.NewClientset()
		client.PrependReactor("get", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
			asked = true
			return tt.away, nil, clustertest.ErrAway
		})
		s := anEdit(migration.StepEnable, &clustertest.Editor{})
		s.Kube = client
		snap := clustertest.At(position.P2)
		snap.Reading.StaticPods = tt.staticPods
		for i := range snap.Reading.KCMs {
			snap.Reading.KCMs[i].Started = "2026-11-22T12:00:00Z"
		}
		got, err := s.judge(t.Context(), snap, migration.Rollout{}, migration.Reached{Open: tt.open})
		if asked != tt.asked || got.Kind != tt.want || !errors.Is(err, tt.err) || !strings.HasPrefix(got.Seen, tt.seen) || tt.seen == "b" && got.Seen != "b" {
			t.Errorf("%s: asked %t, %v, %+v", name, asked, err, got)
		}
	}
}

// A verdict of the Backend, a guard error and frozen arguments take precedence over waits.
func TestEditStepVerify_priority(t *testing.T) {
	crash := migration.Failed(errors.New("cannot start"))
	frozen := clustertest.Resting()
	frozen.KCMs = []migration.KCM{{Member: "cp", Mirror: component.Mirror{Kubelet: "v1.26.5+rke2r1", Hash: "h", PodHash: true}}}
	starving := clustertest.Resting()
	starving.KCMs = []migration.KCM{{Member: "cp", Known: true, Args: component.Parse([]string{"--cloud-provider=external", "--enable-leader-migration"})}}
	for name, tt := range map[string]struct {
		reading migration.Reading
		now     migration.Rollout
		want    runner.VerdictKind
	}{
		"nothing":          {clustertest.Resting(), migration.Rollout{}, runner.Met},
		"it crashes":       {clustertest.Resting(), migration.Rollout{Verdict: &crash, Applying: []string{"b"}}, runner.Failed},
		"it does harm":     {starving, migration.Rollout{Verdict: &crash}, runner.MustPause},
		"frozen arguments": {frozen, migration.Rollout{Verdict: &crash}, runner.Failed},
	} {
		s := anEdit(migration.StepEnable, &clustertest.Editor{Rolled: tt.now})
		got, err := s.Verify(t.Context(), clustertest.TxFor(t, migration.StepEnable), migration.Snapshot{Reading: tt.reading})
		if err != nil || got.Kind != tt.want {
			t.Errorf("%s: %v %+v", name, err, got)
		}
		if f, ok := fault.As(got.Err); name == "frozen arguments" && (!ok || f.Reason != "ArgumentsFrozen") {
			t.Errorf("%s: %v", name, got.Err)
		}
	}
}

// The plan of a step that moves the lease includes the pause, after the Backend's lines.
func TestEditStepPlan_pauses(t *testing.T) {
	const handOver = "one hand-over, 13 to 24 s without service, route and cloud-node-lifecycle controllers"
	for id, want := range map[journal.StepID]struct {
		notes       []string
		least, most int
		each        runner.About // upper limit: the next leader waits for one lease or for two
	}{
		migration.StepSwitch:     {[]string{"of the side", handOver}, 1, 1, 24},
		migration.StepEnable:     {[]string{"of the side"}, 1, 2, 43},
		migration.StepUndoSwitch: {[]string{"of the side"}, 0, 2, 43},
		migration.StepUndoEnable: {[]string{"of the side"}, 1, 2, 43},
		migration.StepUpgrade:    {[]string{"of the side"}, 0, 4, 24},
	} {
		plan, err := rowOf(id).make(base{Migration: &Migration{Backend: &clustertest.Editor{}}, ID: id}).Plan(t.Context(), clustertest.At(position.P2))
		if d := cmp.Diff(want.notes, plan.Notes); err != nil || d != "" {
			t.Errorf("%s: %v %s", id, err, d)
		}
		if wanted := (runner.Pauses{Least: want.least, Most: want.most, EachLeast: 13, EachMost: want.each}); plan.Pauses != wanted {
			t.Errorf("%s: pauses %+v, want %+v", id, plan.Pauses, wanted)
		}
	}
}

// Each step checks its precondition at the write.
func TestEditRules_precondition(t *testing.T) {
	kcm := func(provider string) migration.Reading {
		return migration.Reading{ProviderSource: "last --cloud-provider is", KCMs: []migration.KCM{{Member: "cp", Kind: "Machine", Known: true, Args: component.Parse([]string{"--cloud-provider=" + provider})}}}
	}
	for name, tt := range map[string]struct {
		rules  editRules
		snap   migration.Snapshot
		reason string
	}{
		"enable, external":      {enableLeaderMigration(), migration.Snapshot{Reading: kcm("external")}, "NotInTree"},
		"enable, no grant":      {enableLeaderMigration(), migration.Snapshot{Reading: kcm("aws")}, "GrantMissing"},
		"switch at P2":          {switchProvider(false), migration.Snapshot{Result: clustertest.ResultAt(position.P2)}, "NotReadyToSwitch"},
		"switch between":        {switchProvider(false), migration.Snapshot{Result: position.Result{Position: position.P3, Mixed: true}}, "NotReadyToSwitch"},
		"back without a holder": {switchBack(), migration.Snapshot{}, "NotReadyToComeBack"},
	} {
		f, ok := fault.As(tt.rules.precondition(t.Context(), &Migration{}, tt.snap))
		if !ok || f.Reason != tt.reason || f.Fix == "" && f.Wanted == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// While the Backend applies the edit, no Node is written. Our cordons are removed early only if
// each control plane is switched.
func TestEditStepWhileWaiting(t *testing.T) {
	called := false
	s := anEdit(migration.StepSwitch, &clustertest.Editor{Busy: true})
	s.rules.whileWaiting = func(context.Context, *Migration, *runner.Tx, migration.Snapshot) error { called = true; return nil }
	if err := s.WhileWaiting(t.Context(), clustertest.TxFor(t, migration.StepSwitch), migration.Snapshot{}); err != nil || called {
		t.Errorf("busy: %v, called %t", err, called)
	}
	s.Backend = &clustertest.Editor{}
	if err := s.WhileWaiting(t.Context(), clustertest.TxFor(t, migration.StepSwitch), migration.Snapshot{}); err != nil || !called {
		t.Errorf("not busy: %v, called %t", err, called)
	}
	called = false
	lost := clustertest.At(position.P3)
	lost.Record = clustertest.Printed(t, continuity.NodePrint{Name: "cp-0", UID: "uid-cp-0", Cordoned: true})
	client := fake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "cp-0", UID: "uid-cp-0"}})
	client.PrependReactor("patch", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, clustertest.ErrAway })
	s.Kube = client
	if err := s.WhileWaiting(t.Context(), clustertest.TxFor(t, migration.StepSwitch), lost); err == nil || called {
		t.Errorf("the user's cordon cannot be set again: %v, called %t", err, called)
	}
}

// A watch before a run and an undo are copies of a Migration. Renewals that one of them has
// observed count for the others.
func TestFindOldProcesses_sharedMemory_provenOnce(t *testing.T) {
	start, renewal := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), time.Time{}
	client := fake.NewClientset()
	client.PrependReactor("get", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, &coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{RenewTime: &metav1.MicroTime{Time: renewal}}}, nil
	})
	m := New(migration.Access{Clock: clock.RealClock{}, Kube: client}, &clustertest.Editor{})
	r := migration.Reading{StaticPods: true, KCMs: []migration.KCM{{ID: "1", Node: "cp", Started: start.Format(time.RFC3339)}}}
	watch := m.Watching(journal.Record{})
	for seconds := range 4 {
		renewal = start.Add(time.Duration(1+20*seconds) * time.Second)
		if _, err := watch.findOldProcesses(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for name, of := range map[string]*Migration{"the watch": watch, "the run": m, "its undo": m.Undo()} {
		if of.history.rollout.kubelets.MayOutlive(r) {
			t.Errorf("%s waits once more", name)
		}
	}
}
