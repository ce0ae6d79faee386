package controller

import (
	"errors"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// An event says what happened; the title of a step is an imperative.
func TestNoteOf(t *testing.T) {
	for name, tt := range map[string]struct {
		event runner.Event
		want  string
	}{
		"lock taken":        {runner.Event{Type: runner.LockTaken}, "the run holds the lock of the cluster"},
		"finished/evidence": {runner.Event{Type: runner.StepFinished, Step: "etcd-snapshot", Title: "take an etcd snapshot", Elapsed: 52400 * time.Millisecond, Lines: []string{"snapshot of generation 3 finished", "more"}}, "step etcd-snapshot finished in 52s: snapshot of generation 3 finished"},
		"finished/alone":    {runner.Event{Type: runner.StepFinished, Step: "cordon", Title: "cordon"}, "step cordon finished in 0s"},
		"failed/cause":      {runner.Event{Type: runner.StepFailed, Step: "verify", Title: "verify", Err: errors.New("no room")}, "step verify failed: no room"},
		"paused/message":    {runner.Event{Type: runner.RolloutPaused, Step: "switch-provider", Message: "the rollout is paused"}, "the rollout is paused"},
	} {
		if got := noteOf(tt.event); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
