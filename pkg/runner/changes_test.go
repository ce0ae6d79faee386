package runner

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// StepStarted has the planned changes of the step, and StepFinished those it has written. A run
// without a plan has neither.
func TestRun_steps_reportChanges(t *testing.T) {
	planned, made := Change{Object: "Cluster x", Diff: "- 1\n+ 2\n"}, Change{Object: "Cluster x", Diff: "- 1\n+ 3\n"}
	for name, approves := range map[string]bool{"with a plan": true, "without": false} {
		p := migration(newWorld())
		step := p.step("two")
		step.plan = func() Plan { return Plan{Changes: []Change{planned}} }
		step.do = func(ctx context.Context, tx *Tx) error {
			err := step.apply(ctx, tx)
			tx.Wrote(made)
			return err
		}
		b := newBench(t, p)
		if approves {
			b.o.Approve = func(context.Context, Proposal) error { return nil }
		}
		if _, err := b.run(); err != nil {
			t.Fatal(err)
		}
		for _, e := range b.events.all {
			var want []Change
			switch {
			case e.Step != "two":
			case e.Type == StepStarted && approves:
				want = []Change{planned}
			case e.Type == StepFinished:
				want = []Change{made}
			}
			if d := cmp.Diff(want, slices.Clip(e.Changes)); d != "" && len(want)+len(e.Changes) > 0 {
				t.Errorf("%s: %s of %s:\n%s", name, e.Type, e.Step, d)
			}
		}
	}
}
