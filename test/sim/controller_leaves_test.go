package sim

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Nobody takes the controller away while a cluster rolls: it says so in every step that
// rolls, there and back, and also where the cluster does not answer then. At rest it says
// nothing, whether the cluster answers or not.
func TestControllerDoesNotLeaveWhatRolls(t *testing.T) {
	t.Parallel()
	fresh := controlled(t)
	there, _, migrated := rolling(t, fresh, "Migrate")
	back, _, _ := rolling(t, migrated, "Undo")
	for _, worlds := range []map[journal.StepID]*World{there, back} {
		for step, w := range worlds {
			t.Run(string(step), func(t *testing.T) {
				holds(t, w, pod{}, string(step))
				holds(t, w, pod{Before: unanswered}, "could not be looked at")
				w.rename(1)
				if !within(t, time.Hour, pod{Next: true}, w, w.braked) {
					t.Fatal("nobody brakes")
				}
				if rows := holds(t, w, pod{}, ""); !strings.Contains(rows, "the brake was pulled") {
					t.Errorf("braked, it lists %s", rows)
				}
			})
		}
	}
	for name, w := range map[string]*World{"begun by nobody": fresh, "migrated": migrated} {
		t.Run(name, func(t *testing.T) {
			holds(t, w, pod{}, "")
			holds(t, w, pod{Before: unanswered}, "")
		})
	}
}

// unanswered is a cluster that cannot be reached.
func unanswered(c Call) Outcome {
	if strings.HasPrefix(c.String(), "downstream") {
		return Lose
	}
	return Pass
}

// holds wants the one cluster to hold its controller for that reason, "": for none, and
// nothing to be written. It returns all that is said.
func holds(t *testing.T, w *World, o pod, why string) (said string) {
	t.Helper()
	answers := o.Before
	o.Before = func(c Call) Outcome {
		if c.Writes {
			t.Errorf("it writes: %s", c)
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
				t.Errorf("it holds for %q, wanted %q: %s", got, why, said)
			}
		}
	})
	return said
}
