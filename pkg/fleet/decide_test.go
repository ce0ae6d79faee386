package fleet

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

var (
	planned  = "sha256:" + strings.Repeat("a", 64)
	another  = "sha256:" + strings.Repeat("b", 64)
	saturday = time.Date(2026, time.November, 28, 21, 30, 0, 0, time.UTC)
)

// approved is an object with an approved plan, and a cluster that is ready to run it.
func approved() (*v1alpha1.ClusterMigration, Facts) {
	m := &v1alpha1.ClusterMigration{Spec: v1alpha1.ClusterMigrationSpec{Goal: v1alpha1.GoalMigrate, Edits: v1alpha1.EditsApply, ApprovedPlan: planned}}
	m.Name, m.Namespace, m.Generation = "prod", "fleet-default", 7
	return m, Facts{Now: saturday, Plan: Plan{Hash: planned, Next: time.Hour}}
}

// leaveRollout makes a run leave a rollout.
func leaveRollout(f *Facts) { f.Rolling = true }

func TestDecide(t *testing.T) {
	type object = v1alpha1.ClusterMigration
	for name, tt := range map[string]struct {
		bend   func(m *object, f *Facts)
		action Action
		state  status.State
		reason status.Reason
	}{
		"an approved plan":       {func(*object, *Facts) {}, Run, status.Running, ""},
		"an approved undo":       {func(m *object, _ *Facts) { m.Spec.Goal = v1alpha1.GoalUndo }, Run, status.Undoing, ""},
		"no approval":            {func(m *object, _ *Facts) { m.Spec.ApprovedPlan = "" }, Nothing, status.AwaitingApproval, ""},
		"another plan was":       {func(_ *object, f *Facts) { f.Plan.Hash = another }, Nothing, status.AwaitingApproval, status.PlanMoved},
		"there is no plan yet":   {func(_ *object, f *Facts) { f.Plan = Plan{} }, Nothing, status.AwaitingApproval, status.PlanMoved},
		"no ConfigMap holds it":  {func(m *object, f *Facts) { m.Spec.ApprovedPlan, f.Plan = "", Plan{TooLarge: true} }, Nothing, status.Stalled, status.PlanTooLarge},
		"a part of the hash":     {func(m *object, _ *Facts) { m.Spec.ApprovedPlan = planned[:20] }, Nothing, status.Stalled, status.Invalid},
		"edits is not set":       {func(m *object, _ *Facts) { m.Spec.Edits = "" }, Nothing, status.AwaitingOwner, ""},
		"paused":                 {func(m *object, _ *Facts) { m.Spec.Paused = true }, Nothing, status.Paused, ""},
		"Rancher moves":          {func(_ *object, f *Facts) { f.RancherMoves = "1 of 3 replicas" }, Nothing, status.Pending, status.RancherNotAtRest},
		"Rancher moves, no turn": {func(_ *object, f *Facts) { f.RancherMoves, f.Held = "1 of 3 replicas", "waits for its turn" }, Nothing, status.AwaitingTurn, ""},
		"Rancher moves, no window": {func(m *object, f *Facts) {
			f.RancherMoves, m.Spec.Windows = "1 of 3 replicas", nights("0 22 * * 6", "4h")
		}, Nothing, status.AwaitingWindow, ""},
		"no slot":                  {func(_ *object, f *Facts) { f.Full = true }, Nothing, status.Pending, status.NoSlot},
		"another run has the lock": {func(_ *object, f *Facts) { f.Locked = "alice@laptop" }, Nothing, status.Pending, status.Locked},
		"reached":                  {func(_ *object, f *Facts) { f.Reached, f.Audited = true, true }, Nothing, status.Succeeded, ""},
		"reached, not looked at":   {func(_ *object, f *Facts) { f.Reached = true }, Nothing, status.Auditing, ""},
		"reached, checks fail":     {func(_ *object, f *Facts) { f.Reached, f.Audited, f.Failing = true, true, 2 }, Nothing, status.Findings, ""},
		"audit":                    {func(m *object, _ *Facts) { m.Spec.Goal = v1alpha1.GoalAudit }, Nothing, status.Auditing, ""},
		"no goal":                  {func(m *object, f *Facts) { m.Spec.Goal, f.Audited = "", true }, Nothing, status.AuditPassed, ""},
		"an installation audits":   {func(_ *object, f *Facts) { f.AuditsOnly = true }, Nothing, status.Auditing, ""},
		"a window that is closed":  {func(m *object, _ *Facts) { m.Spec.Windows = nights("0 22 * * 6", "4h") }, Nothing, status.AwaitingWindow, ""},
		"a window that is open":    {func(m *object, _ *Facts) { m.Spec.Windows = nights("0 21 * * 6", "4h") }, Run, status.Running, ""},
		"too little of it is left": {func(m *object, _ *Facts) { m.Spec.Windows = nights("0 21 * * 6", "2h") }, Nothing, status.AwaitingWindow, ""},
		"none is long enough":      {func(m *object, _ *Facts) { m.Spec.Windows = nights("0 21 * * 6", "90m") }, Nothing, status.Stalled, status.WindowTooShort},
		"none can be read":         {func(m *object, _ *Facts) { m.Spec.Windows = nights("0 99 * * 6", "4h") }, Nothing, status.Stalled, status.BadWindow},
		"a begun block is not cut": {func(m *object, f *Facts) { m.Spec.Windows, f.Plan.Begun = nights("0 22 * * 6", "4h"), true }, Run, status.Running, ""},
		"the definition is old":    {func(_ *object, f *Facts) { f.Outdated = true }, Nothing, status.Stalled, status.CRDOutdated},
		"the cluster is gone":      {func(_ *object, f *Facts) { f.Gone = true }, Nothing, status.Stalled, status.ClusterGone},
		"an option is refused":     {func(m *object, f *Facts) { m.Spec.Goal, f.Refused = "", "a role" }, Nothing, status.Stalled, status.Failed},
		"runs die":                 {func(_ *object, f *Facts) { f.Crashed = true }, Nothing, status.Stalled, status.CrashLoop},
		"reverted":                 {func(_ *object, f *Facts) { f.Reverted = true }, Nothing, status.Stalled, status.Reverted},
		"reverted, while audited":  {func(m *object, f *Facts) { m.Spec.Goal, f.Reverted = "", true }, Nothing, status.Stalled, status.Reverted},
		"reverted, then undone":    {func(m *object, f *Facts) { m.Spec.Goal, f.Reverted = v1alpha1.GoalUndo, true }, Run, status.Undoing, ""},
		"restored":                 {func(_ *object, f *Facts) { f.Plan = Plan{Hash: another, Restored: true} }, Nothing, status.Stalled, status.ManagementRestored},
		"restored, and looked at":  {func(_ *object, f *Facts) { f.Plan.Restored = true }, Run, status.Running, ""},
		"a rollout was paused":     {func(_ *object, f *Facts) { f.PausedRollout = "paused" }, Nothing, status.Stalled, status.RolloutPaused},
		"the last run failed":      {func(_ *object, f *Facts) { f.Failed = "a check fails" }, Nothing, status.Stalled, status.Failed},
		"failed, and audits":       {func(m *object, f *Facts) { m.Spec.Goal, f.Failed = "", "a check fails" }, Nothing, status.Auditing, ""},
		"an edit is awaited":       {func(_ *object, f *Facts) { f.Awaited = "commit it" }, Nothing, status.AwaitingOwner, ""},
		"a transient failure":      {func(_ *object, f *Facts) { f.NotBefore = f.Now.Add(time.Minute) }, Nothing, status.Pending, status.Retrying},
		"it may have passed":       {func(_ *object, f *Facts) { f.NotBefore = f.Now }, Run, status.Running, ""},
		"a rollout holds it":       {func(_ *object, f *Facts) { f.Held = "rollout eu is paused" }, Nothing, status.AwaitingTurn, ""},
		"until was reached":        {func(m *object, f *Facts) { m.Spec.Until, f.Plan.AtUntil = "cordon", true }, Nothing, status.Paused, ""},
		"being deleted":            {func(m *object, _ *Facts) { m.DeletionTimestamp = &metav1.Time{Time: saturday} }, Nothing, status.Paused, ""},

		"it rolls":                       {func(_ *object, f *Facts) { leaveRollout(f) }, Guard, status.Guarding, ""},
		"it rolls, windows are closed":   {func(m *object, f *Facts) { leaveRollout(f); m.Spec.Windows = nights("0 22 * * 6", "4h") }, Guard, status.Guarding, ""},
		"it rolls, no slot":              {func(_ *object, f *Facts) { leaveRollout(f); f.Full = true }, Guard, status.Guarding, ""},
		"it rolls, approval withdrawn":   {func(m *object, f *Facts) { leaveRollout(f); m.Spec.ApprovedPlan = "" }, Guard, status.Guarding, ""},
		"it rolls, another is approved":  {func(m *object, f *Facts) { leaveRollout(f); m.Spec.ApprovedPlan = another }, Guard, status.Guarding, ""},
		"it rolls, paused":               {func(m *object, f *Facts) { leaveRollout(f); m.Spec.Paused = true }, Guard, status.Guarding, ""},
		"it rolls, goal Audit":           {func(m *object, f *Facts) { leaveRollout(f); m.Spec.Goal = v1alpha1.GoalAudit }, Guard, status.Guarding, ""},
		"it rolls, goal turned round":    {func(m *object, f *Facts) { leaveRollout(f); m.Spec.Goal = v1alpha1.GoalUndo }, Guard, status.Guarding, ""},
		"it rolls, mode audit":           {func(_ *object, f *Facts) { leaveRollout(f); f.AuditsOnly = true }, Guard, status.Guarding, ""},
		"it rolls, a rollout holds it":   {func(_ *object, f *Facts) { leaveRollout(f); f.Held = "rollout eu is paused" }, Guard, status.Guarding, ""},
		"it rolls, being deleted":        {func(m *object, f *Facts) { leaveRollout(f); m.DeletionTimestamp = &metav1.Time{Time: saturday} }, Guard, status.Guarding, ""},
		"it rolls, invalid":              {func(m *object, f *Facts) { leaveRollout(f); m.Spec.Goal = "x" }, Guard, status.Guarding, ""},
		"it rolls, an option is refused": {func(_ *object, f *Facts) { leaveRollout(f); f.Refused = "a role" }, Guard, status.Guarding, ""},
		"it rolls, runs die":             {func(_ *object, f *Facts) { leaveRollout(f); f.Crashed = true }, Guard, status.Guarding, ""},
		"it rolls, the last run failed":  {func(_ *object, f *Facts) { leaveRollout(f); f.Failed = "a check fails" }, Guard, status.Guarding, ""},
		"it rolls, as was awaited":       {func(_ *object, f *Facts) { leaveRollout(f); f.Awaited = "commit it" }, Guard, status.Guarding, ""},
		"it rolls, reverted":             {func(_ *object, f *Facts) { leaveRollout(f); f.Reverted = true }, Guard, status.Guarding, ""},
		"it rolls, and is being deleted": {func(_ *object, f *Facts) { leaveRollout(f); f.Gone = true }, Nothing, status.Stalled, status.ClusterGone},
		"it rolls, the lock is taken":    {func(_ *object, f *Facts) { leaveRollout(f); f.Locked = "alice@laptop" }, Nothing, status.Pending, status.Locked},
	} {
		m, f := approved()
		tt.bend(m, &f)
		got := Decide(m, f)
		if got.Action != tt.action || got.Shown.State != tt.state || got.Shown.Reason != tt.reason || got.Shown.Generation != 7 {
			t.Errorf("%s: %+v, wanted %s, %s/%s", name, got, tt.action, tt.state, tt.reason)
		}
		if waits := got.Shown.State == status.Pending || got.Shown.State == status.AwaitingWindow; waits && !got.Again.After(f.Now) {
			t.Errorf("%s: waits without need for action, but is queued again at %s", name, got.Again)
		}
	}
}

func nights(schedule, duration string) []v1alpha1.Window {
	return []v1alpha1.Window{{Schedule: schedule, Duration: duration}}
}

// In every combination of facts, nothing begins without the approved hash, and a rollout is
// always watched unless another run holds the lock.
func TestDecide_rolling_guardsBeforeGates(t *testing.T) {
	dice := rand.New(rand.NewPCG(13, 1))
	is := func() bool { return dice.IntN(2) == 0 }
	rarely := func() bool { return dice.IntN(4) == 0 }
	seen := map[Action]int{}
	for range 20000 {
		m, f := approved()
		m.Spec.Goal = []v1alpha1.Goal{"", v1alpha1.GoalAudit, v1alpha1.GoalMigrate, v1alpha1.GoalUndo}[dice.IntN(4)]
		m.Spec.ApprovedPlan = []string{"", planned, another}[dice.IntN(3)]
		m.Spec.Paused = rarely()
		f.AuditsOnly, f.Crashed, f.Reverted, f.Full = rarely(), rarely(), rarely(), is()
		if is() {
			leaveRollout(&f)
		}
		if rarely() {
			f.Locked = "alice@laptop"
		}
		got := Decide(m, f)
		seen[got.Action]++
		switch {
		case f.Rolling && f.Locked == "" && got.Action == Nothing:
			t.Fatalf("left alone: %+v, %+v", m.Spec, f)
		case got.Action == Run && (f.Rolling || m.Spec.ApprovedPlan != f.Plan.Hash),
			got.Action == Run && (m.Spec.Paused || f.AuditsOnly || f.Locked != "" || m.Spec.Goal.OrDefault() == v1alpha1.GoalAudit):
			t.Fatalf("begun: %+v, %+v", m.Spec, f)
		}
	}
	if seen[Run] == 0 || seen[Guard] == 0 || seen[Nothing] == 0 {
		t.Errorf("%v", seen)
	}
}
