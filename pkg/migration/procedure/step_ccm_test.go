package procedure

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// flagIn reports whether the values of a document enable leader migration.
func flagIn(document string) bool {
	return regexp.MustCompile(`leaderMigration:\s+enabled: true`).MatchString(document)
}

// The same pods must run without a restart for two lease durations, and only then the rest of
// the cluster must be at rest. The engine counts the time.
func TestInstallVerify_samePods_steady(t *testing.T) {
	restarted := func(s *migration.Snapshot) { clustertest.SetRestarts(&s.Reading.Down.CCMPods[0], 1) }
	unready := func(s *migration.Snapshot) { clustertest.SetPodReady(&s.Reading.Down.CCMPods[0], false) }
	longer := func(s *migration.Snapshot) { s.Reading.Leases.CCM.Last.Duration = 20 * time.Second }
	unknown := func(s *migration.Snapshot) { s.Reading.Leases.CCM.Last.Duration = 0 }
	moving := func(s *migration.Snapshot) { s.Reading.Pending = clustertest.Rolling().Pending }
	needsAPerson := func(s *migration.Snapshot) {
		s.Reading.Pending = []migration.PendingCondition{{Object: "Machine m", Seen: "lost", Fix: "put it back"}}
	}
	verdict := func(change func(*migration.Snapshot)) runner.Verdict {
		step := &install{base: base{Migration: &Migration{Access: migration.Access{Kube: clustertest.Permissive(nil)}, Backend: &clustertest.Editor{}}}}
		snap := clustertest.At(position.P3)
		if change != nil {
			change(&snap)
		}
		got, err := step.Verify(t.Context(), nil, snap)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	const settling, settled = "the same pods without a restart for ", "the cluster to be at rest"
	for name, tt := range map[string]struct {
		change func(*migration.Snapshot)
		steady time.Duration
		waits  string
		heldUp bool
		same   bool // the pods of the unchanged cluster
	}{
		"it runs":             {nil, 30 * time.Second, "", false, true},
		"a pod restarted":     {restarted, 30 * time.Second, "", false, false},
		"a pod is not Ready":  {unready, 0, "the cloud controller manager on every control plane", false, false},
		"a longer lease":      {longer, 40 * time.Second, "", false, true},
		"an unknown duration": {unknown, 30 * time.Second, "", false, true},
		"the cluster moves":   {moving, 30 * time.Second, settled, false, true},
		"it needs a person":   {needsAPerson, 30 * time.Second, settled, true, true},
	} {
		got := verdict(tt.change)
		if got.Steady.For != tt.steady || tt.steady > 0 && got.Steady.What != settling+tt.steady.String() {
			t.Errorf("%s: %+v", name, got.Steady)
		}
		if evident := tt.waits == ""; (got.Kind == runner.Met) != evident || !evident && got.WaitingFor != tt.waits || (got.Err != nil) != tt.heldUp {
			t.Errorf("%s: %+v", name, got)
		}
		if (got.Progress == verdict(nil).Progress) != tt.same {
			t.Errorf("%s: what has to be steady: %q", name, got.Progress)
		}
		if want := []string{"2/2 ready, one of them leads", "migration lease: cp-0 (kube-controller-manager), renewing"}; tt.waits == "" && !slices.Equal(got.Evidence, want) {
			t.Errorf("%s: %q", name, got.Evidence)
		}
	}
}

// The guard's error takes precedence over all waits.
func TestCCMSteps_guardFails_pauses(t *testing.T) {
	for _, id := range []journal.StepID{migration.StepInstall, migration.StepDisable, migration.StepUndoInstall, migration.StepUndoDisable} {
		snap := clustertest.At(position.P4)
		snap.Reading.KCMs[0] = clustertest.AKCM("cp-0", "external", true)
		step := makeStep(base{Migration: &Migration{}, ID: id})
		if got, err := step.Verify(t.Context(), nil, snap); err != nil || got.Kind != runner.MustPause || clustertest.ReasonOf(got.Err) != "StarvingLease" {
			t.Errorf("%s: %v %+v", id, err, got)
		}
	}
}

// An idle migration lease is expected while leader migration is removed or restored. In all
// other steps it pauses the rollout.
func TestSignalsOf_idleLease(t *testing.T) {
	for id, want := range map[journal.StepID]runner.VerdictKind{
		migration.StepDisable: runner.Waiting, migration.StepUndoDisable: runner.Waiting, migration.StepInstall: runner.MustPause, migration.StepUndoInstall: runner.MustPause,
	} {
		core := &Migration{Backend: &clustertest.Editor{Backend: &clustertest.Side{}}, Access: migration.Access{Kube: clustertest.Permissive(nil), Distribution: wellknown.RKE2}}
		step := makeStep(base{Migration: core, ID: id})
		var got runner.Verdict
		for _, after := range []time.Duration{0, time.Hour} {
			snap := without()
			snap.At = clustertest.Start.Add(after)
			var err error
			if got, err = step.Verify(t.Context(), nil, snap); err != nil {
				t.Fatal(err)
			}
		}
		if got.Kind != want {
			t.Errorf("%s: %+v", id, got)
		}
	}
}

// A CCM is not installed next to a kube-controller-manager without the flag. If it is already
// installed, the step writes nothing.
func TestInstallDo_flagMissing_refuses(t *testing.T) {
	snap := clustertest.At(position.P2)
	snap.Reading.KCMs[1] = clustertest.AKCM("cp-1", "aws", false)
	if f, ok := fault.As((&install{}).Do(t.Context(), nil, snap)); !ok || f.Reason != "FlagMissing" || f.Object != snap.Reading.KCMs[1].Name() {
		t.Errorf("%+v", f)
	}
	if err := (&install{}).Do(t.Context(), nil, clustertest.At(position.P3)); err != nil {
		t.Error(err)
	}
	half := clustertest.At(position.P3) // installed on a part of the control planes
	half.Result, half.Reading.KCMs[1] = clustertest.ResultBetween(position.P2, position.P3), clustertest.AKCM("cp-1", "aws", false)
	half.Result.Position = position.P3
	if err := (&install{}).Do(t.Context(), nil, half); clustertest.ReasonOf(err) != "FlagMissing" {
		t.Error(err)
	}
}

// A manifest install plans and writes the chart with or without the flag.
func TestChartSteps_manifest_writesDocument(t *testing.T) {
	for name, tt := range map[string]struct {
		id      journal.StepID
		at      position.Position
		change  func(*migration.Snapshot)
		plan    string // prefix of the summary
		flag    bool   // in the planned document
		changes int
		writes  bool
		reason  string
	}{
		"install":                     {migration.StepInstall, position.P2, nil, "+ HelmChart document", true, 1, false, "not asked"},
		"disable":                     {migration.StepDisable, position.P4, nil, "~ HelmChart document in additionalManifest (flag off), − Lease, RoleBinding, Role", false, 1, true, ""},
		"disable, before the switch":  {migration.StepDisable, position.P3, nil, "~ HelmChart document", false, 1, false, "StillInTree"},
		"disable, before the CCM":     {migration.StepDisable, position.P2, nil, "~ HelmChart document", false, 1, false, "StillInTree"},
		"disable, position not known": {migration.StepDisable, position.P4, func(s *migration.Snapshot) { s.Result = position.Result{Position: position.Unknown} }, "~ HelmChart document", false, 1, true, ""},
		"disable, one is in-tree":     {migration.StepDisable, position.P4, func(s *migration.Snapshot) { s.Reading.KCMs[0] = clustertest.AKCM("cp-0", "aws", true) }, "~ HelmChart document", false, 1, false, "StillInTree"},
		"disable, not at rest":        {migration.StepDisable, position.P4, func(s *migration.Snapshot) { s.Reading.Pending = clustertest.Rolling().Pending }, "~ HelmChart document", false, 1, false, "NotAtRest"},
		"undo-disable":                {migration.StepUndoDisable, position.P5, nil, "+ Role, RoleBinding", true, 1, true, ""},
		"undo-disable, one in-tree":   {migration.StepUndoDisable, position.P5, func(s *migration.Snapshot) { s.Reading.KCMs[0] = clustertest.AKCM("cp-0", "aws", true) }, "+ Role, RoleBinding", true, 1, false, "StillInTree"},
	} {
		side := &clustertest.DocumentBackend{Editor: &clustertest.Editor{}}
		snap := clustertest.At(tt.at)
		snap.InstallMethod = migration.InstallManifest
		if tt.change != nil {
			tt.change(&snap)
		}
		core := New(migration.Access{Kube: clustertest.Permissive(nil), Distribution: wellknown.RKE2, Clock: clustertest.NewClock()}, side)
		step := makeStep(base{Migration: core, ID: tt.id})
		plan, err := step.Plan(t.Context(), snap)
		if err != nil || !strings.HasPrefix(plan.Summary[0], tt.plan) || len(plan.Changes) != tt.changes {
			t.Errorf("%s: %v, %d changes, %+v", name, err, len(plan.Changes), plan.Summary)
		}
		if len(plan.Changes) > 0 && flagIn(plan.Changes[0].Diff) != tt.flag {
			t.Errorf("%s: plans a chart with the flag: %t", name, !tt.flag)
		}
		if tt.id == migration.StepInstall {
			continue // the lookup of other managers needs a server
		}
		if err := step.Do(t.Context(), clustertest.TxFor(t, tt.id), snap); clustertest.ReasonOf(err) != tt.reason || (len(side.Applied) == 1) != tt.writes {
			t.Errorf("%s: %v, %d written", name, err, len(side.Applied))
		}
		if tt.writes && flagIn(side.Applied[0]) != tt.flag {
			t.Errorf("%s: wrote a chart with the flag: %t", name, !tt.flag)
		}
	}
}

// The grant is restored before the flag, and only if it is missing.
func TestUndoDisableDo_grantBeforeFlag(t *testing.T) {
	both := []string{"create roles/" + wellknown.Grant, "create rolebindings/" + wellknown.Grant}
	for name, tt := range map[string]struct {
		get, update bool
		want        []string
	}{
		"no right": {false, false, both}, "only to get": {true, false, both}, "only to update": {false, true, both}, "both": {true, true, nil},
	} {
		client := clustertest.Permissive(nil)
		core := New(migration.Access{Kube: client, Distribution: wellknown.RKE2, Clock: clustertest.NewClock()}, &clustertest.DocumentBackend{Editor: &clustertest.Editor{}})
		snap := clustertest.At(position.P5)
		snap.InstallMethod, snap.Reading.Down.MayGet, snap.Reading.Down.MayUpdate = migration.InstallManifest, tt.get, tt.update
		err := makeStep(base{Migration: core, ID: migration.StepUndoDisable}).Do(t.Context(), clustertest.TxFor(t, migration.StepUndoDisable), snap)
		if d := cmp.Diff(tt.want, clustertest.Writes(client)); err != nil || d != "" {
			t.Errorf("%s: %v %s", name, err, d)
		}
	}
}

// without returns a cluster at P4 whose CCM runs without the flag: the lease is idle, and the
// grant still exists.
func without() migration.Snapshot {
	snap := clustertest.WithCCM(clustertest.At(position.P4), false)
	snap.Reading.Leases.Migration = clustertest.Unwritten(snap.Reading.Leases.Migration)
	snap.Result = clustertest.ResultBetween(position.P4, position.P5)
	return snap
}

// The lease is deleted once it had no write for two durations and ten seconds, and no process
// needs it; then the grant. Servers check each delete against the judged object; the fake
// clientset does not.
func TestRemoveLeaseAndGrant(t *testing.T) {
	noGrant := func(s *migration.Snapshot) { s.Reading.Down.OwnGrant = false }
	noLease := func(s *migration.Snapshot) {
		s.Reading.Leases.Migration = lease.Series{}
		s.Reading.Down.Leases.Migration = lease.Observation{}
	}
	idle := func() migration.Snapshot { // undo: no CCM, no flag, only the lease left
		snap := clustertest.At(position.P1)
		snap.Reading.Leases.Migration = clustertest.Unwritten(clustertest.Renewing("cp-0_kcm", wellknown.KCM))
		snap.Reading.Down.Leases.Migration = snap.Reading.Leases.Migration.Last
		return snap
	}
	theLease := []string{"delete leases/" + wellknown.MigrationLease}
	theGrant := []string{"delete rolebindings/" + wellknown.Grant, "delete roles/" + wellknown.Grant}
	const limit = 40 * time.Second // two durations of 15 s and ten seconds
	for name, tt := range map[string]struct {
		id     journal.StepID
		ok     func() migration.Snapshot
		change func(*migration.Snapshot)
		after  time.Duration
		want   []string
		reason string
	}{
		"disable, at the limit":                {migration.StepDisable, without, nil, limit, theLease, ""},
		"disable, a moment before":             {migration.StepDisable, without, nil, limit - 1, nil, ""},
		"disable, the lease is gone":           {migration.StepDisable, without, noLease, 0, theGrant, ""},
		"disable, both are gone":               {migration.StepDisable, without, func(s *migration.Snapshot) { noLease(s); noGrant(s) }, 0, nil, ""},
		"disable, the CCM has the flag":        {migration.StepDisable, without, func(s *migration.Snapshot) { s.Reading.Down.CCM = clustertest.CCM(true, 2) }, limit, nil, ""},
		"disable, a pod has the flag":          {migration.StepDisable, without, func(s *migration.Snapshot) { s.Reading.Down.CCMPods[1] = clustertest.CCMPod("cp-1", true) }, limit, nil, ""},
		"disable, a pod is not Ready":          {migration.StepDisable, without, func(s *migration.Snapshot) { clustertest.SetPodReady(&s.Reading.Down.CCMPods[1], false) }, limit, nil, ""},
		"disable, one is in-tree":              {migration.StepDisable, without, func(s *migration.Snapshot) { s.Reading.KCMs[0] = clustertest.AKCM("cp-0", "aws", true) }, limit, nil, "StillInTree"},
		"disable, one shows no arguments":      {migration.StepDisable, without, func(s *migration.Snapshot) { s.Reading.KCMs[0].Known = false }, limit, nil, ""},
		"undo-lease-access, at the limit":      {migration.StepUndoAccess, idle, nil, limit, theLease, ""},
		"undo-lease-access, a moment before":   {migration.StepUndoAccess, idle, nil, limit - 1, nil, ""},
		"undo-lease-access, the lease is gone": {migration.StepUndoAccess, idle, noLease, 0, theGrant, ""},
		"undo-lease-access, others' right":     {migration.StepUndoAccess, idle, func(s *migration.Snapshot) { noLease(s); noGrant(s) }, 0, nil, ""},
		"undo-lease-access, one has the flag":  {migration.StepUndoAccess, idle, func(s *migration.Snapshot) { s.Reading.KCMs[1] = clustertest.AKCM("cp-1", "aws", true) }, limit, nil, "FlagStillThere"},
		"undo-lease-access, the CCM is there":  {migration.StepUndoAccess, idle, func(s *migration.Snapshot) { *s = clustertest.WithCCM(*s, true) }, limit, nil, "CCMStillThere"},
		"undo-install, the pods are ending":    {migration.StepUndoInstall, func() migration.Snapshot { return clustertest.At(position.P3) }, func(s *migration.Snapshot) { s.Reading.Down.CCM = nil }, limit, nil, ""},
		"undo-install, all is gone":            {migration.StepUndoInstall, ended, nil, limit, []string{"delete leases/" + wellknown.CCMLease}, ""},
		"undo-install, a moment before":        {migration.StepUndoInstall, ended, nil, limit - 1, nil, ""},
		"undo-install, another cloud's": {migration.StepUndoInstall, ended, func(s *migration.Snapshot) {
			s.Reading.Leases.CCM = clustertest.Renewing("x_1", "cloud-controller-manager")
		}, limit, nil, ""},
	} {
		client := clustertest.Permissive(nil, clustertest.Lease(wellknown.MigrationLease), clustertest.Lease(wellknown.CCMLease))
		if _, err := awsccm.EnsureGrant(t.Context(), client); err != nil {
			t.Fatal(err)
		}
		client.ClearActions()
		core := New(migration.Access{Kube: client, Clock: clustertest.NewClock()}, &clustertest.Editor{})
		step, ok := makeStep(base{Migration: core, ID: tt.id}).(runner.WaitingStep[migration.Snapshot])
		if !ok {
			t.Fatalf("%s does nothing while it waits", tt.id)
		}
		snap := tt.ok()
		if tt.change != nil {
			tt.change(&snap)
		}
		snap.At, snap.Unchanged = clustertest.Start.Add(tt.after), migration.Unchanged(nil).Next(clustertest.Start, clustertest.Start, snap.Reading.Leases)
		err := step.WhileWaiting(t.Context(), clustertest.TxFor(t, tt.id), snap)
		if d := cmp.Diff(tt.want, clustertest.Writes(client)); d != "" || clustertest.ReasonOf(err) != tt.reason {
			t.Errorf("%s: %v %s", name, err, d)
		}
	}
}

// The CCM's pods cannot be judged without their events.
func TestCCMSteps_eventsUnreadable_fail(t *testing.T) {
	unready := clustertest.At(position.P3)
	clustertest.SetPodReady(&unready.Reading.Down.CCMPods[0], false)
	for id, snap := range map[journal.StepID]migration.Snapshot{migration.StepInstall: unready, migration.StepDisable: without(), migration.StepUndoDisable: without()} {
		client := clustertest.Permissive(nil)
		client.PrependReactor("list", "events", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, clustertest.ErrAway })
		core := &Migration{Access: migration.Access{Kube: client}, Backend: &clustertest.Editor{}}
		if got, err := makeStep(base{Migration: core, ID: id}).Verify(t.Context(), clustertest.TxFor(t, id), snap); !errors.Is(err, clustertest.ErrAway) {
			t.Errorf("%s: %v, %+v", id, err, got)
		}
	}
}

// ended returns a cluster whose CCM was removed, except for its own lease.
func ended() migration.Snapshot {
	snap := clustertest.At(position.P2)
	snap.Reading.Leases.CCM = clustertest.Unwritten(clustertest.Renewing("cp-1_ccm", wellknown.CCM))
	snap.Reading.Down.Leases.CCM = snap.Reading.Leases.CCM.Last
	return snap
}
