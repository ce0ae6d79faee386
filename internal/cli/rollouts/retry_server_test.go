package rollouts_test

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/controller"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

func pause(t *testing.T, s *server) {
	n := s.space(t, waves("a1"))
	n.run(t, nil, "resume", "--name", "eu").expect(t, 0, "MigrationRollout pause/eu was not paused already")
	n.run(t, nil, "pause", "--name", "eu").expect(t, 0, "MigrationRollout pause/eu is paused now: no cluster begins", "go on, and are watched", "awsmigrate rollout resume --name eu --namespace pause")
	if !n.now(t).Spec.Paused {
		t.Error("not paused")
	}
	n.run(t, nil, "pause", "--name", "eu").expect(t, 0, "was paused already")
	n.member(t, "a1", state{shown: status.AwaitingApproval, plan: hash("1")})
	n.run(t, nil, "approve", "--name", "eu", "--yes").expect(t, 0, "no cluster begins before rollout resume")
	n.run(t, nil, "resume", "--name", "eu").expect(t, 0, "MigrationRollout pause/eu is not paused now")
	if n.now(t).Spec.Paused {
		t.Error("paused")
	}
}

// Failed clusters get another deadline and a retry. Others are not written.
func retry(t *testing.T, s *server) {
	spec := waves("a1 a2 a3", "rest")
	spec.Waves[0].Deadline = "2h"
	n := s.space(t, spec)
	n.run(t, nil, "retry", "--name", "eu").expect(t, 0, "no cluster of MigrationRollout retry/eu has failed")
	past := time.Now().AddDate(0, 0, -1)
	n.member(t, "a1", state{shown: status.Stalled, plan: hash("1"), begun: true, display: "legacy"})
	n.member(t, "a2", state{shown: status.AwaitingApproval, plan: hash("2"), begun: true, deadline: past})
	n.member(t, "a3", state{shown: status.Running, plan: hash("3"), begun: true})
	n.member(t, "z1", state{shown: status.Undoing, goal: v1alpha1.GoalUndo, plan: hash("4"), begun: true})
	n.member(t, "z2", state{shown: status.AwaitingApproval, plan: hash("5")})
	untouched := map[string]string{"a3": "", "z1": "", "z2": ""}
	for name := range untouched {
		untouched[name] = n.migration(t, name).ResourceVersion
	}
	began := time.Now().Truncate(time.Second)
	n.run(t, nil, "retry", "--name", "eu").expect(t, 3, "✓ a1 (legacy): retried in wave a until", "✓ a2: retried in wave a until", "its plan changed: awsmigrate rollout approve --name eu --namespace retry",
		"✗ z1: not retried: a person set goal Undo", "1 of 3 failed clusters were not retried")
	for name, version := range untouched {
		if n.migration(t, name).ResourceVersion != version {
			t.Errorf("%s was written", name)
		}
	}
	for _, name := range []string{"a1", "a2"} {
		m := n.migration(t, name)
		mark := rollout.MarkOf(m)
		if m.Annotations[controller.RetryAnnotation] == "" || !mark.Retried || mark.Deadline.Before(began.Add(2*time.Hour)) || mark.Deadline.After(time.Now().Add(2*time.Hour)) || mark.UID != n.now(t).UID || m.Spec.ApprovedPlan == "" {
			t.Errorf("%s: %v, %+v", name, m.Annotations, mark)
		}
	}
	n.run(t, nil, "status", "--name", "eu", "-o", "json").expect(t, 0, `"kind": "RolloutStatus"`)
}

func retryOne(t *testing.T, s *server) {
	n := s.space(t, waves("a1 a2 a3"))
	n.member(t, "a1", state{shown: status.Stalled, plan: hash("1"), begun: true})
	n.member(t, "a2", state{shown: status.Stalled, plan: hash("2"), begun: true})
	n.member(t, "a3", state{shown: status.Running, plan: hash("3"), begun: true})
	n.run(t, nil, "retry", "--name", "eu", "--cluster", "a3").expect(t, 2, "ClusterMigration retryone/a3: has not failed: it is Active")
	n.run(t, nil, "retry", "--name", "eu", "--cluster", "x").expect(t, 2, "ClusterMigration retryone/x: is in no wave of MigrationRollout retryone/eu")
	n.run(t, nil, "retry", "--name", "eu", "--cluster", "retryone/a2").expect(t, 0, "a2: retried in wave a")
	if n.migration(t, "a1").Annotations[controller.RetryAnnotation] != "" || n.migration(t, "a2").Annotations[controller.RetryAnnotation] == "" {
		t.Error("the wrong cluster was retried")
	}
	first := n.migration(t, "a2").Annotations[controller.RetryAnnotation]
	n.run(t, nil, "retry", "--name", "eu", "--cluster", "a2").expect(t, 0, "a2: retried")
	if n.migration(t, "a2").Annotations[controller.RetryAnnotation] == first {
		t.Error("the second retry has the value of the first")
	}
}
