package sim

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// A run sees the cluster at the same position as an audit that knows only the cluster's API,
// wherever a migration or its undo was killed. If the position changes meanwhile, the run sees the
// audit's earlier or later one.
func TestRunAndAuditSeeTheSamePosition(t *testing.T) {
	compared, moving := 0, 0
	for _, s := range scenarios[:2] { // an API shows nothing of RKE's components
		for _, undo := range []bool{false, true} {
			points := pointsOf(t, s, undo)
			for i := 0; i < len(points); i += sampleStride(4) {
				at := points[i]
				at.world.mu.Lock()
				w := at.world.clone()
				at.world.mu.Unlock()
				before, run, after := positions(t, s, w)
				switch {
				case before != after:
					moving++
				case run != before:
					t.Errorf("%s, undo %t, killed %s: a run sees %s, an audit %s", s.name, undo, at.where, run, before)
				default:
					compared++
				}
			}
		}
	}
	if t.Logf("counts: positions compared: %d, and %d moved meanwhile", compared, moving); compared < moving || compared == 0 {
		t.Errorf("%d compared, %d moved meanwhile", compared, moving)
	}
}

// positions returns the positions of an audit, a run, and another audit.
func positions(t *testing.T, s scenario, w *World) (before, run, after string) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		pass(max(0, time.Until(w.Now())))
		r := s.run
		r.ID, r.Clock = "look", clock.RealClock{}
		procedure, _, err := r.open(ctx, w, &Process{world: w, die: cancel})
		if err != nil {
			t.Error(err)
			return
		}
		seen := looker(procedure)
		audit := func() string {
			inspection, err := seen.GatherAPIOnly(ctx, journal.Record{})
			if err != nil {
				return err.Error()
			}
			return describePosition(inspection.Input.Position)
		}
		before = audit()
		inspection, err := gather(ctx, seen, journal.Record{})
		if run = describePosition(inspection.Input.Position); err != nil {
			run = err.Error()
		}
		after = audit()
	})
	return before, run, after
}

func describePosition(r position.Result) string {
	return fmt.Sprintf("%s, mixed %t between %s, made by hand %t", r.Position, r.Mixed, r.Between, r.HandMade)
}
