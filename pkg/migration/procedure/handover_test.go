package procedure

import (
	"slices"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// readyToHandOver returns a cluster at P3 that meets all conditions of a hand-over.
func readyToHandOver() migration.Snapshot {
	snap := clustertest.At(position.P3)
	l := &snap.Reading.Leases
	l.CCM.First.Acquire = l.CCM.Last.Renew.Add(-time.Minute)
	l.CCM.Last.Acquire = l.CCM.First.Acquire
	return snap
}

func words(k *migration.KCM, more ...string) {
	k.Args = component.Parse(append([]string{"--cloud-provider=aws", "--enable-leader-migration=true"}, more...))
}

// A condition that no wait can meet leaves the lease to the switch.
func TestLeftToSwitch(t *testing.T) {
	ended := func(ago time.Duration) func(*migration.Snapshot) {
		return func(s *migration.Snapshot) {
			at := s.Reading.Leases.Migration.Last.Renew.Add(-ago)
			s.Reading.KCMs[0].Pod = &downstream.Pod{Statuses: []downstream.ContainerStatus{{Before: &downstream.End{Code: 1, At: at}}}}
		}
	}
	for name, tt := range map[string]struct {
		change func(*migration.Snapshot)
		why    string // prefix; empty if the lease may be fenced
	}{
		"nothing is missing":              {func(*migration.Snapshot) {}, ""},
		"a pod that a Node lacks":         {func(s *migration.Snapshot) { s.Result = clustertest.ResultAt(position.P2) }, ""},
		"at no position":                  {func(s *migration.Snapshot) { s.Result = clustertest.ResultAt(position.Unknown) }, "the cluster is not at P3"},
		"behind the switch":               {func(s *migration.Snapshot) { s.Result = clustertest.ResultAt(position.P4) }, "the cluster is not at P3"},
		"between two positions":           {func(s *migration.Snapshot) { s.Result.Mixed = true }, "the cluster is not at P3"},
		"one control plane":               {func(s *migration.Snapshot) { s.Reading.KCMs = s.Reading.KCMs[:1] }, "there is one kube-controller-manager"},
		"one without the flag":            {func(s *migration.Snapshot) { s.Reading.KCMs[1] = clustertest.AKCM("cp-1", "aws", false) }, "kube-controller-manager of Machine cp-1 is not seen"},
		"one external":                    {func(s *migration.Snapshot) { s.Reading.KCMs[1] = clustertest.AKCM("cp-1", "external", true) }, "kube-controller-manager of Machine cp-1 is not seen"},
		"unknown arguments":               {func(s *migration.Snapshot) { s.Reading.KCMs[0].Known = false }, "kube-controller-manager of Machine cp-0 is not seen"},
		"another lock":                    {func(s *migration.Snapshot) { words(&s.Reading.KCMs[1], "--leader-elect-resource-lock=endpointsleases") }, "kube-controller-manager of Machine cp-1: its lock is endpointsleases"},
		"a lock of another name":          {func(s *migration.Snapshot) { words(&s.Reading.KCMs[1], "--leader-elect-resource-name=mine") }, "kube-controller-manager of Machine cp-1: its lock is leases kube-system/mine"},
		"a lock elsewhere":                {func(s *migration.Snapshot) { words(&s.Reading.KCMs[1], "--leader-elect-resource-namespace=x") }, "kube-controller-manager of Machine cp-1: its lock is leases x/"},
		"no election":                     {func(s *migration.Snapshot) { words(&s.Reading.KCMs[1], "--leader-elect=false") }, "kube-controller-manager of Machine cp-1: it takes part in no"},
		"a lease no longer than patience": {func(s *migration.Snapshot) { words(&s.Reading.KCMs[1], "--leader-elect-renew-deadline=13s") }, "kube-controller-manager of Machine cp-1: its lease of 15s is not longer"},
		"a holder more patient than another's lease is long": {func(s *migration.Snapshot) {
			words(&s.Reading.KCMs[1], "--leader-elect-lease-duration=60s", "--leader-elect-renew-deadline=40s")
		}, "kube-controller-manager of Machine cp-1 works for up to 42s once it is fenced, and the lease of kube-controller-manager of Machine cp-0 is 15s"},
		"a cloud controller manager less patient than a holder": {func(s *migration.Snapshot) {
			for i := range s.Reading.KCMs {
				words(&s.Reading.KCMs[i], "--leader-elect-lease-duration=60s", "--leader-elect-renew-deadline=40s")
			}
		}, "kube-controller-manager of Machine cp-0 works for up to 42s once it is fenced, and the lease of the cloud controller manager is 15s"},
		"other durations, each longer than every patience": {func(s *migration.Snapshot) {
			words(&s.Reading.KCMs[1], "--leader-elect-lease-duration=30s", "--leader-elect-renew-deadline=12s")
		}, ""},
		"a number that is none": {func(s *migration.Snapshot) { words(&s.Reading.KCMs[1], "--leader-elect-lease-duration=x") }, "kube-controller-manager of Machine cp-1: its leader election cannot be read"},
		"the default lock by name": {func(s *migration.Snapshot) {
			words(&s.Reading.KCMs[1], "--leader-elect-resource-name=kube-controller-manager")
		}, ""},
		"no CCM": {func(s *migration.Snapshot) { s.Reading.Down.CCM = nil }, "there is no cloud controller manager"},
		"a CCM with another lock": {func(s *migration.Snapshot) {
			s.Reading.Down.CCM.Containers[0].Args = append(s.Reading.Down.CCM.Containers[0].Args, "--leader-elect-resource-name=x")
		}, "the cloud controller manager: its lock"},
		"the holder ended a minute ago": {ended(time.Minute), "kube-controller-manager of Machine cp-0 ended at"},
		"the holder by its machine's name": {func(s *migration.Snapshot) {
			ended(time.Minute)(s)
			s.Reading.KCMs[0].Node, s.Reading.KCMs[0].Member, s.Reading.KCMs[0].Kind = "ip-10-0-0-4.ec2.internal", "cp-0", "Machine"
		}, "kube-controller-manager of Machine cp-0 ended at"},
		"a holder that no name identifies": {func(s *migration.Snapshot) {
			ended(time.Minute)(s)
			s.Reading.KCMs[0].Node, s.Reading.KCMs[0].Member = "ip-10-0-0-4.ec2.internal", "custom-1"
		}, "kube-controller-manager of Machine custom-1 ended at"},
		"the holder ended long ago": {ended(11 * time.Minute), ""},
		"another one ended a minute ago": {func(s *migration.Snapshot) {
			ended(time.Minute)(s)
			s.Reading.KCMs[1].Pod, s.Reading.KCMs[0].Pod = s.Reading.KCMs[0].Pod, &downstream.Pod{}
		}, ""},
	} {
		snap := readyToHandOver()
		tt.change(&snap)
		if got := reasonNotToFence(snap); !strings.HasPrefix(got, tt.why) || (got == "") != (tt.why == "") {
			t.Errorf("%s: %q, want %q", name, got, tt.why)
		}
	}
}

// Settings in force that exclude a fence are known long before it. The plan then has no early
// hand-over, and the switch has the pause.
func TestHandOverState(t *testing.T) {
	for name, tt := range map[string]struct {
		at     position.Position
		change func(*migration.Snapshot)
		why    string // of a skipped step; empty if it is to do
	}{
		"P0":                    {position.P0, func(*migration.Snapshot) {}, ""},
		"P2":                    {position.P2, func(*migration.Snapshot) {}, ""},
		"P3":                    {position.P3, func(*migration.Snapshot) {}, ""},
		"P0, one control plane": {position.P0, func(s *migration.Snapshot) { s.Reading.KCMs = s.Reading.KCMs[:1] }, "left to switch-provider: there is one kube-controller-manager"},
		"P0, another lock":      {position.P0, func(s *migration.Snapshot) { words(&s.Reading.KCMs[1], "--leader-elect-resource-name=mine") }, "left to switch-provider: kube-controller-manager of Machine cp-1: its lock"},
		"P2, long deadline": {position.P2, func(s *migration.Snapshot) {
			words(&s.Reading.KCMs[1], "--leader-elect-lease-duration=60s", "--leader-elect-renew-deadline=40s")
		}, "left to switch-provider: kube-controller-manager of Machine cp-1 works for up to 42s"},
		"P3, one control plane": {position.P3, func(s *migration.Snapshot) { s.Reading.KCMs = s.Reading.KCMs[:1] }, "left to switch-provider: there is one kube-controller-manager"},
	} {
		snap := clustertest.At(tt.at)
		tt.change(&snap)
		got := progress{Snapshot: snap}.handOverState(current{reached: tt.at})
		wanted := runner.Todo
		if tt.why != "" {
			wanted = runner.Skipped
		}
		if got.Kind != wanted || !strings.HasPrefix(got.Reason, tt.why) {
			t.Errorf("%s: %+v, want %s %q", name, got, wanted, tt.why)
		}
		var plan runner.Plan
		addPossibleHandOver(&plan, snap)
		if skipped := tt.why != ""; plan.Pauses.Most != 1 || (plan.Pauses.Least == 1) != skipped {
			t.Errorf("%s: %+v", name, plan.Pauses)
		}
	}
}

// Conditions that a wait can meet delay the fence.
func TestMissingForFence(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*migration.Snapshot)
		open   string // empty if nothing is missing
	}{
		"nothing is missing":      {func(*migration.Snapshot) {}, ""},
		"a pod that a Node lacks": {func(s *migration.Snapshot) { s.Result = clustertest.ResultAt(position.P2) }, "the cluster is not at P3"},
		"one not Ready":           {func(s *migration.Snapshot) { s.Reading.KCMs[1].Ready = false }, "kube-controller-manager of Machine cp-1 is not Ready"},
		"the lease does not move": {func(s *migration.Snapshot) {
			s.Reading.Leases.Migration = clustertest.Unwritten(s.Reading.Leases.Migration)
		}, "migration lease: acquired by kube-controller-manager, not renewed yet"},
		"no KCM leads":        {func(s *migration.Snapshot) { s.Reading.Leases.KCM = clustertest.Unwritten(s.Reading.Leases.KCM) }, "Lease kube-system/kube-controller-manager: not seen renewing"},
		"another one leads":   {func(s *migration.Snapshot) { s.Reading.Leases.KCM = clustertest.Renewing("cp-1_kcm", wellknown.KCM) }, "not yet with the kube-controller-manager that leads"},
		"no CCM waits for it": {func(s *migration.Snapshot) { s.Reading.Leases.CCM = clustertest.Unwritten(s.Reading.Leases.CCM) }, "Lease kube-system/cloud-controller-manager: not seen renewing"},
		"it has not led for long": {func(s *migration.Snapshot) {
			s.Reading.Leases.CCM.Last.Acquire = s.Reading.Leases.CCM.Last.Renew.Add(-29 * time.Second)
		}, "has led for 29s of 30s"},
		"one of its pods is not":  {func(s *migration.Snapshot) { clustertest.SetPodReady(&s.Reading.Down.CCMPods[1], false) }, "not Ready with the flag on every control plane"},
		"one of them has no flag": {func(s *migration.Snapshot) { s.Reading.Down.CCMPods[1] = clustertest.CCMPod("cp-1", false) }, "not Ready with the flag on every control plane"},
	} {
		snap := readyToHandOver()
		tt.change(&snap)
		got := strings.Join(missingForFence(snap), "; ")
		if !strings.Contains(got, tt.open) || (got == "") != (tt.open == "") {
			t.Errorf("%s: %q, want %q", name, got, tt.open)
		}
	}
}

// heldBy returns a cluster with a holder that renews the migration lease.
func heldBy(holder, manager string) migration.Snapshot {
	snap := readyToHandOver()
	snap.Reading.Leases.Migration = clustertest.Renewing(holder, manager)
	if manager == wellknown.KCM { // a leader with the flag holds both leases
		snap.Reading.Leases.KCM = snap.Reading.Leases.Migration
	}
	return ledFor(snap, 15*time.Second)
}

// ledFor makes the holder's tenure last for a duration.
func ledFor(snap migration.Snapshot, d time.Duration) migration.Snapshot {
	held := &snap.Reading.Leases.Migration
	held.First.Acquire = held.Last.Renew.Add(-d)
	held.Last.Acquire = held.First.Acquire
	return snap
}

// fencedBy returns a cluster whose migration lease is fenced by a run.
func fencedBy(run string) migration.Snapshot {
	snap := readyToHandOver()
	snap.Reading.Leases.Migration = clustertest.Unwritten(clustertest.Renewing(wellknown.Fence+run, wellknown.FieldManager))
	return snap
}

// The holder after a fence decides. A fence of another run does not fail this run.
func TestHandOverVerdicts(t *testing.T) {
	fence := func(run string) journal.Intent {
		return journal.Intent{Step: migration.StepHandOver, What: "fence", Run: run, Token: "cp-0_kcm"}
	}
	for name, tt := range map[string]struct {
		snap    migration.Snapshot
		intents []journal.Intent
		kind    runner.VerdictKind
		says    string
	}{
		"before":                       {readyToHandOver(), nil, runner.Waiting, "all conditions of the hand-over are met"},
		"the write was lost":           {readyToHandOver(), []journal.Intent{fence("run")}, runner.Waiting, "all conditions of the hand-over are met"},
		"fenced":                       {fencedBy("run"), []journal.Intent{fence("run")}, runner.Waiting, "expires"},
		"fenced by a run before":       {fencedBy("old"), []journal.Intent{fence("old")}, runner.Waiting, "fenced by awsmigrate run old"},
		"fenced by an unknown run":     {fencedBy("old"), nil, runner.Waiting, "fenced by awsmigrate run old"},
		"taken by a KCM":               {heldBy("cp-0_other", wellknown.KCM), []journal.Intent{fence("run")}, runner.Failed, "TakenBack"},
		"taken from another run":       {heldBy("cp-0_kcm", wellknown.KCM), []journal.Intent{fence("old")}, runner.Waiting, "all conditions of the hand-over are met"},
		"the CCM leads":                {heldBy("cp-1_ccm", wellknown.CCM), []journal.Intent{fence("run")}, runner.Met, "while every kube-controller-manager is in-tree"},
		"the CCM leads since a moment": {ledFor(heldBy("cp-1_ccm", wellknown.CCM), 15*time.Second-1), []journal.Intent{fence("run")}, runner.Waiting, "cp-1 leads, and renews"},
		"the CCM leads anyway":         {heldBy("cp-1_ccm", wellknown.CCM), nil, runner.Met, "while every kube-controller-manager is in-tree"},
	} {
		m, _, _ := observer(position.P3)
		tx := clustertest.TxOf(t, "run", migration.StepHandOver, tt.intents...)
		tt.snap.Record = tx.Record()
		verdict, err := (&handOver{base{Migration: m, ID: migration.StepHandOver}}).Verify(t.Context(), tx, tt.snap)
		said := verdict.Seen + strings.Join(verdict.Evidence, "; ") + clustertest.ReasonOf(verdict.Err)
		if err != nil || verdict.Kind != tt.kind || !strings.Contains(said, tt.says) {
			t.Errorf("%s: %v, %s: %s", name, err, verdict.Kind, said)
		}
	}
}

// A restart of a CCM that led stops the run without a pause. A Node fault still pauses.
func TestGuardVerdict(t *testing.T) {
	var g guard.Guard
	signals := guard.Signals{At: clustertest.Start, CCMHolds: true, CCMRestarts: map[string]int32{"ccm-cp-0": 0}}
	if err := g.Judge(signals); err != nil {
		t.Fatal(err)
	}
	signals.CCMRestarts = map[string]int32{"ccm-cp-0": 1}
	if v := guardVerdict(g.Judge(signals), "left"); v.Kind != runner.Failed || clustertest.ReasonOf(v.Err) != guard.ReasonCCMRestarts {
		t.Errorf("%+v", v)
	}
	renamed := guard.Signals{At: clustertest.Start, Renames: []guard.Rename{{Machine: "m", Old: "a", New: "b"}}}
	if v := guardVerdict(g.Judge(renamed), "left"); v.Kind != runner.MustPause {
		t.Errorf("%+v", v)
	}
}

// WhileWaiting writes nothing for a guard, for a run that has already fenced, and before all
// conditions are met.
func TestWhoFences(t *testing.T) {
	for name, tt := range map[string]struct {
		change  func(*Migration, *clustertest.Side, *migration.Snapshot)
		intents []journal.Intent
		fences  bool
	}{
		"a run":   {func(*Migration, *clustertest.Side, *migration.Snapshot) {}, nil, true},
		"a guard": {func(m *Migration, _ *clustertest.Side, _ *migration.Snapshot) { m.isGuard = true }, nil, false},
		"while it moves": {func(_ *Migration, _ *clustertest.Side, s *migration.Snapshot) {
			s.Reading.Pending = clustertest.Rolling().Pending
		}, nil, false},
		"an old one next to it": {func(_ *Migration, _ *clustertest.Side, s *migration.Snapshot) { s.Reading.StaticPods = true }, nil, false},
		"left to the switch":    {func(_ *Migration, _ *clustertest.Side, s *migration.Snapshot) { s.Reading.KCMs = s.Reading.KCMs[:1] }, nil, false},
		"once more": {func(_ *Migration, _ *clustertest.Side, s *migration.Snapshot) {
			s.Reading.Leases.Migration = clustertest.Renewing("cp-1_kcm", wellknown.KCM)
			s.Reading.Leases.KCM = s.Reading.Leases.Migration
		},
			[]journal.Intent{{Step: migration.StepHandOver, Run: "run", Token: "cp-0_kcm"}}, false},
	} {
		m, client, by := observer(position.P3)
		snap := readyToHandOver()
		tt.change(m, by, &snap)
		held := snap.Reading.Leases.Migration.Last
		client.PrependReactor("get", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
			found := clustertest.Lease(wellknown.MigrationLease)
			found.UID, found.Spec.HolderIdentity = types.UID(held.UID), &held.Holder
			return true, found, nil
		})
		client.PrependReactor("update", "leases", func(action clienttesting.Action) (bool, runtime.Object, error) {
			return true, action.(clienttesting.UpdateAction).GetObject(), nil
		})
		tx := clustertest.TxOf(t, "run", migration.StepHandOver, tt.intents...)
		if err := (&handOver{base{Migration: m, ID: migration.StepHandOver}}).WhileWaiting(t.Context(), tx, snap); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		written := holdersWritten(client)
		if slices.Contains(written, wellknown.Fence+"run") != tt.fences || (len(tx.Record().Intents) > len(tt.intents)) != tt.fences {
			t.Errorf("%s: holders written %v, %d intents", name, written, len(tx.Record().Intents))
		}
	}
}

// The fence lasts as long as the longest lease of all candidates.
func TestMaxLeaseDuration(t *testing.T) {
	snap := readyToHandOver()
	if got := maxLeaseDuration(snap.Reading); got != 15*time.Second {
		t.Errorf("%s", got)
	}
	words(&snap.Reading.KCMs[1], "--leader-elect-lease-duration=40s")
	if got := maxLeaseDuration(snap.Reading); got != 40*time.Second {
		t.Errorf("%s", got)
	}
	snap.Reading.Down.CCM.Containers[0].Args = append(snap.Reading.Down.CCM.Containers[0].Args, "--leader-elect-lease-duration=60s")
	if got := maxLeaseDuration(snap.Reading); got != time.Minute {
		t.Errorf("%s", got)
	}
}

// holdersWritten returns the holders that were written to leases.
func holdersWritten(client *fake.Clientset) []string {
	var holders []string
	for _, action := range client.Actions() {
		if update, ok := action.(clienttesting.UpdateAction); ok {
			if l, ok := update.GetObject().(*coordinationv1.Lease); ok {
				holders = append(holders, *l.Spec.HolderIdentity)
			}
		}
	}
	return holders
}
