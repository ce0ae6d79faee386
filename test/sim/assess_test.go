package sim

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// assess performs one assessment of w, as a controller does, for a goal that may be the other
// direction.
func assess(t *testing.T, r Run, w *World, undo bool) (a session.Assessment, writes int, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if d := time.Until(w.Now()); d > 0 {
			pass(d)
		}
		r.Clock = clock.RealClock{}
		p := &Process{world: w}
		a, err = session.Assess(t.Context(), connector{r, w, p}, session.Options{Undo: undo})
		writes = p.writes
	})
	return a, writes, err
}

// connector connects to a simulated cluster.
type connector struct {
	run     Run
	world   *World
	process *Process
}

// Connect implements session.Connector.
func (c connector) Connect(ctx context.Context, _ session.Options, _ session.Access) (*session.Session, error) {
	forward := c.run
	forward.Undo = false
	m, home, err := forward.open(ctx, c.world, c.process)
	if err != nil {
		return nil, err
	}
	kept, err := newJournal(home, c.process, c.world, m.Target(), c.run.Clock)
	return &session.Session{Migration: m, Procedure: m, Journal: kept, Clock: c.run.Clock}, err
}

// For any goal, an assessment finds a step that an earlier run began and Rancher still carries
// out, in either direction. It writes nothing. At rest it finds no such step.
func TestAssessFindsWhatRolls(t *testing.T) {
	for _, s := range guarded {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			checkAssessment(t, s.run, s.world())
		})
		t.Run(s.name+", undo", func(t *testing.T) {
			t.Parallel()
			checkAssessment(t, undoOf(s.run), migrateWorld(t, s))
		})
	}
}

func checkAssessment(t *testing.T, r Run, w *World) {
	t.Helper()
	for _, p := range killStates(t, r, w, sampleStride(12)) {
		for _, undo := range []bool{false, true} {
			a, writes, err := assess(t, r, p.world, undo)
			if err != nil || a.UnderWay == "" || writes > 0 {
				t.Errorf("%s, assessed for an undo: %t: %q is rolling, %d writes, %v", p.where, undo, a.UnderWay, writes, err)
			}
			if a.Unplaced == nil && a.Plan.Basis.Goal != map[bool]string{false: "migrate", true: "undo"}[undo] {
				t.Errorf("%s: the plan's goal is %s", p.where, a.Plan.Basis.Goal)
			}
		}
	}
	r.ID = w.nextRun()
	if ended := do(t, r, w); ended.Err != nil {
		t.Fatal(ended.Err)
	}
	a, _, err := assess(t, r, w, r.Undo)
	if err != nil || a.UnderWay != journal.StepID("") || a.Unplaced != nil || a.Says.Pending() {
		t.Errorf("at the end: %q is rolling, %v, %+v, %v", a.UnderWay, a.Unplaced, a.Says, err)
	}
}
