package controller

import (
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Only a cluster with work ahead, or with something that rolls out, is read again soon.
func TestDueForLook_age(t *testing.T) {
	now := time.Date(2026, 11, 28, 18, 0, 0, 0, time.UTC)
	c := &Controller{o: Options{Clock: clocktesting.NewFakeClock(now), Interval: 24 * time.Hour}}
	rest, open := runner.State{Kind: runner.Done}, runner.State{Kind: runner.Todo}
	for name, tt := range map[string]struct {
		goal  v1alpha1.Goal
		step  runner.State
		rolls journal.StepID
		age   time.Duration
		want  bool
	}{
		"goal Audit":                     {v1alpha1.GoalAudit, open, "", 23 * time.Hour, false},
		"goal Audit, after the interval": {v1alpha1.GoalAudit, open, "", 24 * time.Hour, true},
		"an open goal":                   {v1alpha1.GoalMigrate, open, "", maxLookAge, true},
		"an open goal, a fresh look":     {v1alpha1.GoalMigrate, open, "", time.Minute, false},
		"a reached goal":                 {v1alpha1.GoalMigrate, rest, "", time.Hour, false},
		"something rolls out":            {v1alpha1.GoalMigrate, rest, "switch-provider", maxLookAge, true},
	} {
		m := &v1alpha1.ClusterMigration{Spec: v1alpha1.ClusterMigrationSpec{Goal: tt.goal}}
		k := &cluster{look: &look{at: now.Add(-tt.age), object: identityOf(m)}}
		k.look.seen.UnderWay, k.look.seen.Says.States = tt.rolls, map[journal.StepID]runner.State{"switch-provider": tt.step}
		if got := c.dueForLook(k, m); got != tt.want {
			t.Errorf("%s: due %t", name, got)
		}
	}
}

// While Rancher rolls out, only a cluster that waits for nothing else is read every 30 seconds.
func TestDueForLook_rancherMoves(t *testing.T) {
	now := time.Date(2026, 11, 28, 18, 0, 0, 0, time.UTC)
	c := &Controller{o: Options{Clock: clocktesting.NewFakeClock(now), Interval: 24 * time.Hour}}
	m := &v1alpha1.ClusterMigration{Spec: v1alpha1.ClusterMigrationSpec{Goal: v1alpha1.GoalMigrate}}
	for shown, want := range map[status.Moment]bool{
		{State: status.Pending, Reason: status.RancherNotAtRest}: true,
		{State: status.AwaitingTurn}:                             false,
		{State: status.AwaitingApproval}:                         false,
	} {
		k := &cluster{look: &look{at: now.Add(-time.Minute), object: identityOf(m), moves: "0 of 1 pods"}, decided: decided{shown: shown}}
		if got := c.dueForLook(k, m); got != want {
			t.Errorf("%+v: due %t", shown, got)
		}
	}
}
