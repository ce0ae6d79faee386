package migration

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// flagIn says whether the values of a document turn leader migration on.
func flagIn(document string) bool {
	return regexp.MustCompile(`leaderMigration:\s+enabled: true`).MatchString(document)
}

// The same pods have to run without a restart for two durations of their lease; only
// then the rest of the cluster is waited for. The engine counts the time.
func TestInstallSettles(t *testing.T) {
	restarted := func(s *Snapshot) { setRestarts(&s.Reading.Down.CCMPods[0], 1) }
	unready := func(s *Snapshot) { setPodReady(&s.Reading.Down.CCMPods[0], false) }
	longer := func(s *Snapshot) { s.Reading.Leases.CCM.Last.Duration = 20 * time.Second }
	unknown := func(s *Snapshot) { s.Reading.Leases.CCM.Last.Duration = 0 }
	moving := func(s *Snapshot) { s.Reading.Unrest = rolling().Unrest }
	needsAPerson := func(s *Snapshot) {
		s.Reading.Unrest = []Unrest{{Object: "Machine m", Seen: "lost", Fix: "put it back"}}
	}
	verdict := func(change func(*Snapshot)) runner.Verdict {
		step := &install{base: base{Migration: &Migration{Access: Access{Kube: permissive(nil)}, Backend: &editor{}}}}
		seen := clusterAt(position.P3)
		if change != nil {
			change(&seen)
		}
		got, err := step.Verify(t.Context(), nil, seen)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	const settling, settled = "the same pods without a restart for ", "the cluster to come to rest"
	for name, tt := range map[string]struct {
		change func(*Snapshot)
		steady time.Duration
		waits  string
		heldUp bool
		same   bool // the pods are those of the cluster that nothing changed
	}{
		"it runs":                         {nil, 30 * time.Second, "", false, true},
		"a pod restarted":                 {restarted, 30 * time.Second, "", false, false},
		"a pod is not Ready":              {unready, 0, "the cloud controller manager on every control plane", false, false},
		"a longer lease":                  {longer, 40 * time.Second, "", false, true},
		"of a duration that nobody tells": {unknown, 30 * time.Second, "", false, true},
		"the cluster moves":               {moving, 30 * time.Second, settled, false, true},
		"it needs a person":               {needsAPerson, 30 * time.Second, settled, true, true},
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

// The brake comes before all that a step waits for.
func TestStepsOfTheCCMBrake(t *testing.T) {
	for _, id := range []journal.StepID{StepInstall, StepDisable, StepUndoInstall, StepUndoDisable} {
		seen := clusterAt(position.P4)
		seen.Reading.KCMs[0] = aKCM("cp-0", "external", true)
		step := makeStep(base{Migration: &Migration{}, ID: id})
		if got, err := step.Verify(t.Context(), nil, seen); err != nil || got.Kind != runner.Braked || reasonOf(got.Err) != "StarvingLease" {
			t.Errorf("%s: %v %+v", id, err, got)
		}
	}
}

// The migration lease may stand still while leader migration goes or comes back: there it
// is what ends, or what nobody has yet. Everywhere else it brakes.
func TestIdleLeaseBrakesOnlyWhereItIsNeeded(t *testing.T) {
	for id, want := range map[journal.StepID]runner.VerdictKind{
		StepDisable: runner.Waiting, StepUndoDisable: runner.Waiting, StepInstall: runner.Braked, StepUndoInstall: runner.Braked,
	} {
		core := &Migration{Backend: &editor{}, Access: Access{Kube: permissive(nil)}}
		step := makeStep(base{Migration: core, ID: id})
		var got runner.Verdict
		for _, after := range []time.Duration{0, time.Hour} {
			seen := without()
			seen.At = testStart.Add(after)
			var err error
			if got, err = step.Verify(t.Context(), nil, seen); err != nil {
				t.Fatal(err)
			}
		}
		if got.Kind != want {
			t.Errorf("%s: %+v", id, got)
		}
	}
}

// No CCM is installed beside a kube-controller-manager without the flag; where it is
// installed, nothing is done.
func TestInstallIsRefused(t *testing.T) {
	seen := clusterAt(position.P2)
	seen.Reading.KCMs[1] = aKCM("cp-1", "aws", false)
	if f, ok := fault.As((&install{}).Do(t.Context(), nil, seen)); !ok || f.Reason != "FlagMissing" || f.Object != seen.Reading.KCMs[1].Name() {
		t.Errorf("%+v", f)
	}
	if err := (&install{}).Do(t.Context(), nil, clusterAt(position.P3)); err != nil {
		t.Error(err)
	}
	half := clusterAt(position.P3) // installed, and not everywhere
	half.Result, half.Reading.KCMs[1] = between(position.P2, position.P3), aKCM("cp-1", "aws", false)
	half.Result.Position = position.P3
	if err := (&install{}).Do(t.Context(), nil, half); reasonOf(err) != "FlagMissing" {
		t.Error(err)
	}
}

// A step that installs by a document plans and writes the chart with the flag, or without.
func TestChartsAsDocuments(t *testing.T) {
	for name, tt := range map[string]struct {
		id      journal.StepID
		at      position.Position
		change  func(*Snapshot)
		plan    string // how its summary begins
		flag    bool   // in what is planned
		changes int
		writes  bool
		reason  string
	}{
		"install":                     {StepInstall, position.P2, nil, "+ HelmChart document", true, 1, false, "not asked"},
		"disable":                     {StepDisable, position.P4, nil, "~ HelmChart document in additionalManifest (flag off), − Lease, RoleBinding, Role", false, 1, true, ""},
		"disable, before the CCM":     {StepDisable, position.P2, nil, "~ HelmChart document", false, 0, false, "StillInTree"},
		"disable, position not known": {StepDisable, position.P4, func(s *Snapshot) { s.Result = position.Result{Position: position.Unknown} }, "~ HelmChart document", false, 0, true, ""},
		"disable, one is in-tree":     {StepDisable, position.P4, func(s *Snapshot) { s.Reading.KCMs[0] = aKCM("cp-0", "aws", true) }, "~ HelmChart document", false, 1, false, "StillInTree"},
		"disable, not at rest":        {StepDisable, position.P4, func(s *Snapshot) { s.Reading.Unrest = rolling().Unrest }, "~ HelmChart document", false, 1, true, ""},
		"undo-disable":                {StepUndoDisable, position.P5, nil, "+ Role, RoleBinding", true, 1, true, ""},
		"undo-disable, one in-tree":   {StepUndoDisable, position.P5, func(s *Snapshot) { s.Reading.KCMs[0] = aKCM("cp-0", "aws", true) }, "+ Role, RoleBinding", true, 1, false, "StillInTree"},
	} {
		side := &documented{editor: &editor{}}
		seen := clusterAt(tt.at)
		seen.InstallMethod = InstallManifest
		if tt.change != nil {
			tt.change(&seen)
		}
		core := &Migration{Backend: side, Access: Access{Kube: permissive(nil), Distribution: wellknown.RKE2}}
		step := makeStep(base{Migration: core, ID: tt.id})
		plan, err := step.Plan(t.Context(), seen)
		if err != nil || !strings.HasPrefix(plan.Summary[0], tt.plan) || len(plan.Changes) != tt.changes || plan.Deferred != (tt.changes == 0) {
			t.Errorf("%s: %v, %d changes, %+v", name, err, len(plan.Changes), plan.Summary)
		}
		if len(plan.Changes) > 0 && flagIn(plan.Changes[0].Diff) != tt.flag {
			t.Errorf("%s: plans a chart with the flag: %t", name, !tt.flag)
		}
		if tt.id == StepInstall {
			continue // what else runs controllers it looks up on a server
		}
		if err := step.Do(t.Context(), txFor(t, tt.id), seen); reasonOf(err) != tt.reason || (len(side.applied) == 1) != tt.writes {
			t.Errorf("%s: %v, %d written", name, err, len(side.applied))
		}
		if tt.writes && flagIn(side.applied[0]) != tt.flag {
			t.Errorf("%s: wrote a chart with the flag: %t", name, !tt.flag)
		}
	}
}

// The right comes back before the flag, and only where it is missing.
func TestGrantComesBackBeforeTheFlag(t *testing.T) {
	both := []string{"create roles/" + wellknown.Grant, "create rolebindings/" + wellknown.Grant}
	for name, tt := range map[string]struct {
		get, update bool
		want        []string
	}{
		"no right": {false, false, both}, "only to get": {true, false, both}, "only to update": {false, true, both}, "both": {true, true, nil},
	} {
		client := permissive(nil)
		core := &Migration{Backend: &documented{editor: &editor{}}, Access: Access{Kube: client, Distribution: wellknown.RKE2}}
		seen := clusterAt(position.P5)
		seen.InstallMethod, seen.Reading.Down.MayGet, seen.Reading.Down.MayUpdate = InstallManifest, tt.get, tt.update
		err := makeStep(base{Migration: core, ID: StepUndoDisable}).Do(t.Context(), txFor(t, StepUndoDisable), seen)
		if d := cmp.Diff(tt.want, writes(client)); err != nil || d != "" {
			t.Errorf("%s: %v %s", name, err, d)
		}
	}
}

// without is a cluster at P4 whose CCM has lost the flag everywhere: the lease is idle,
// and the grant is there still.
func without() Snapshot {
	seen := withCCM(clusterAt(position.P4), false)
	seen.Reading.Leases.Migration = unwritten(seen.Reading.Leases.Migration)
	seen.Result = between(position.P4, position.P5)
	return seen
}

// The lease goes once nobody wrote it for two durations and ten seconds while no process
// was left that could want it, then the grant. A server holds each delete to what
// was judged; the clientset leaves that out.
func TestLeaseAndGrantGo(t *testing.T) {
	noGrant := func(s *Snapshot) { s.Reading.Down.OwnGrant = false }
	noLease := func(s *Snapshot) {
		s.Reading.Leases.Migration = lease.Series{}
		s.Reading.Down.Leases.Migration = lease.Observation{}
	}
	idle := func() Snapshot { // of an undo: no CCM, no flag, the lease left over
		seen := clusterAt(position.P1)
		seen.Reading.Leases.Migration = unwritten(renewing("cp-0_kcm", wellknown.KCM))
		seen.Reading.Down.Leases.Migration = seen.Reading.Leases.Migration.Last
		return seen
	}
	theLease := []string{"delete leases/" + wellknown.MigrationLease}
	theGrant := []string{"delete rolebindings/" + wellknown.Grant, "delete roles/" + wellknown.Grant}
	const limit = 40 * time.Second // two durations of 15 s and ten seconds
	for name, tt := range map[string]struct {
		id     journal.StepID
		ok     func() Snapshot
		change func(*Snapshot)
		after  time.Duration
		want   []string
		reason string
	}{
		"disable, at the limit":                {StepDisable, without, nil, limit, theLease, ""},
		"disable, a moment before":             {StepDisable, without, nil, limit - 1, nil, ""},
		"disable, the lease is gone":           {StepDisable, without, noLease, 0, theGrant, ""},
		"disable, both are gone":               {StepDisable, without, func(s *Snapshot) { noLease(s); noGrant(s) }, 0, nil, ""},
		"disable, the CCM has the flag":        {StepDisable, without, func(s *Snapshot) { s.Reading.Down.CCM = aCCM(true, 2) }, limit, nil, ""},
		"disable, a pod has the flag":          {StepDisable, without, func(s *Snapshot) { s.Reading.Down.CCMPods[1] = aCCMPod("cp-1", true) }, limit, nil, ""},
		"disable, a pod is not Ready":          {StepDisable, without, func(s *Snapshot) { setPodReady(&s.Reading.Down.CCMPods[1], false) }, limit, nil, ""},
		"disable, one is in-tree":              {StepDisable, without, func(s *Snapshot) { s.Reading.KCMs[0] = aKCM("cp-0", "aws", true) }, limit, nil, "StillInTree"},
		"undo-lease-access, at the limit":      {StepUndoAccess, idle, nil, limit, theLease, ""},
		"undo-lease-access, a moment before":   {StepUndoAccess, idle, nil, limit - 1, nil, ""},
		"undo-lease-access, the lease is gone": {StepUndoAccess, idle, noLease, 0, theGrant, ""},
		"undo-lease-access, others' right":     {StepUndoAccess, idle, func(s *Snapshot) { noLease(s); noGrant(s) }, 0, nil, ""},
		"undo-lease-access, one has the flag":  {StepUndoAccess, idle, func(s *Snapshot) { s.Reading.KCMs[1] = aKCM("cp-1", "aws", true) }, limit, nil, "FlagStillThere"},
		"undo-lease-access, the CCM is there":  {StepUndoAccess, idle, func(s *Snapshot) { *s = withCCM(*s, true) }, limit, nil, "CCMStillThere"},
		"undo-install, the pods are ending":    {StepUndoInstall, func() Snapshot { return clusterAt(position.P3) }, func(s *Snapshot) { s.Reading.Down.CCM = nil }, limit, nil, ""},
		"undo-install, all is gone":            {StepUndoInstall, ended, nil, limit, []string{"delete leases/" + wellknown.CCMLease}, ""},
		"undo-install, a moment before":        {StepUndoInstall, ended, nil, limit - 1, nil, ""},
		"undo-install, another cloud's":        {StepUndoInstall, ended, func(s *Snapshot) { s.Reading.Leases.CCM = renewing("x_1", "cloud-controller-manager") }, limit, nil, ""},
	} {
		client := permissive(nil, aLease(wellknown.MigrationLease), aLease(wellknown.CCMLease))
		if _, err := awsccm.EnsureGrant(t.Context(), client); err != nil {
			t.Fatal(err)
		}
		client.ClearActions()
		core := &Migration{Backend: &editor{}, Access: Access{Kube: client}}
		step, ok := makeStep(base{Migration: core, ID: tt.id}).(runner.Tender[Snapshot])
		if !ok {
			t.Fatalf("%s does nothing while it waits", tt.id)
		}
		seen := tt.ok()
		if tt.change != nil {
			tt.change(&seen)
		}
		seen.At, seen.Unchanged = testStart.Add(tt.after), unchanged(nil).next(testStart, seen.Reading.Leases)
		err := step.Tend(t.Context(), txFor(t, tt.id), seen)
		if d := cmp.Diff(tt.want, writes(client)); d != "" || reasonOf(err) != tt.reason {
			t.Errorf("%s: %v %s", name, err, d)
		}
	}
}

// ended is a cluster whose CCM was taken away, all but its own lease.
func ended() Snapshot {
	seen := clusterAt(position.P2)
	seen.Reading.Leases.CCM = unwritten(renewing("cp-1_ccm", wellknown.CCM))
	seen.Reading.Down.Leases.CCM = seen.Reading.Leases.CCM.Last
	return seen
}
