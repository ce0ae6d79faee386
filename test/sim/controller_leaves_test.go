package sim

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// The controller reports that it must not be removed during a rollout. It does so in each rolling
// step of both directions, even if the cluster does not answer. At rest it reports nothing,
// whether or not the cluster answers.
func TestControllerDoesNotLeaveWhatRolls(t *testing.T) {
	t.Parallel()
	fresh := controlled(t)
	there, _, migrated := rolloutWorlds(t, fresh, "Migrate")
	back, _, _ := rolloutWorlds(t, migrated, "Undo")
	for _, worlds := range []map[journal.StepID]*World{there, back} {
		for step, w := range worlds {
			t.Run(string(step), func(t *testing.T) {
				requireHold(t, w, pod{}, string(step))
				requireHold(t, w, pod{Before: makeUnreachable}, "could not be looked at")
				w.addSecondNodeLocked(1)
				if !awaitWithin(t, time.Hour, pod{Next: true}, w, w.hasPause) {
					t.Fatal("no controller paused the rollout")
				}
				if rows := requireHold(t, w, pod{}, ""); !strings.Contains(rows, "rollout paused in step") {
					t.Errorf("after the pause, it lists %s", rows)
				}
			})
		}
	}
	for name, w := range map[string]*World{"without a migration": fresh, "migrated": migrated} {
		t.Run(name, func(t *testing.T) {
			requireHold(t, w, pod{}, "")
			requireHold(t, w, pod{Before: makeUnreachable}, "")
		})
	}
}

// makeUnreachable makes a cluster unreachable.
func makeUnreachable(c Call) Outcome {
	if strings.HasPrefix(c.String(), "downstream") {
		return Lose
	}
	return Pass
}

// requireHold checks that the cluster needs its controller for the reason, or for none if why is
// empty, and that nothing is written. It returns the output.
func requireHold(t *testing.T, w *World, o pod, why string) (said string) {
	t.Helper()
	answers := o.Before
	o.Before = func(c Call) Outcome {
		if c.Writes {
			t.Errorf("wrote %s", c)
		}
		if answers != nil {
			return answers(c)
		}
		return Pass
	}
	w = w.clone()
	bubble(t, w, func(ctx context.Context) {
		rows, err := o.controller(t, w, &Process{world: w, Before: o.Before, die: func() {}}).Leaves(ctx)
		said = fmt.Sprintf("%+v", rows)
		if err != nil || len(rows) > 1 || why != "" && len(rows) == 0 {
			t.Fatalf("%s, %v", said, err)
		}
		for _, row := range rows {
			if got := row.Holds(); (got == "") != (why == "") || !strings.Contains(got, why) {
				t.Errorf("the reason is %q, wanted %q: %s", got, why, said)
			}
		}
	})
	return said
}
