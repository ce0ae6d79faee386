package sim

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// guarded holds the scenarios in which Rancher keeps rolling while no run continues.
var guarded = []scenario{scenarios[0], scenarios[1]}

// goesForward reports whether a call changes an object that a guard must not change. A guard may
// change the journal, the lock, cordons and the pause.
func goesForward(c Call) bool {
	for _, may := range []string{"/configmaps", "/leases", "/api/v1/nodes/", "/rkecontrolplanes/"} {
		if strings.Contains(c.Path, may) {
			return false
		}
	}
	return c.Writes
}

// watch runs a guard on w, and returns its forward writes.
func watch(t *testing.T, r Run, w *World) (ended Ended, forward []string) {
	t.Helper()
	r.ID, r.Guard = w.nextRun(), true
	r.Before = func(c Call) Outcome {
		if goesForward(c) {
			forward = append(forward, c.String())
		}
		return Pass
	}
	return do(t, r, w), forward
}

// killStates returns each every-th state in which a procedure can be killed while Rancher continues
// its work.
func killStates(t *testing.T, r Run, w *World, every int) []point {
	t.Helper()
	r.ID = w.nextRun()
	ended, all := traceRun(t, r, w)
	if ended.Err != nil {
		t.Fatal(ended.Err)
	}
	all = slices.DeleteFunc(all, func(p point) bool { return !p.world.isMoving() || len(list(p.world.journalObject(), "intents")) == 0 })
	var tried []point
	for i := 0; i < len(all); i += every {
		tried = append(tried, all[i])
	}
	if len(tried) == 0 {
		t.Fatal("no state has a rollout")
	}
	t.Logf("counts: %d of %d states with a rollout", len(tried), len(all))
	return tried
}

// migrateWorld returns a world at the end of a scenario.
func migrateWorld(t *testing.T, s scenario) *World {
	t.Helper()
	w := s.world()
	s.run.ID = runID(1)
	if ended := do(t, s.run, w); ended.Err != nil {
		t.Fatal(ended.Err)
	}
	return w
}

// A process that must not continue still watches the rollout. A guard brings a cluster to rest,
// writes nothing forward, and restores the user's cordons. It leaves the rest to a permitted run,
// which ends like an undisturbed one.
func TestGuardComesToRest(t *testing.T) {
	for _, s := range guarded {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			guardToRest(t, s.run, s.world(), cleanRun(t, s).want)
		})
		t.Run(s.name+", undo", func(t *testing.T) {
			t.Parallel()
			w, undone := migrateWorld(t, s), migrateWorld(t, s)
			r := undoOf(s.run)
			r.ID = undone.nextRun()
			if ended := do(t, r, undone); ended.Err != nil {
				t.Fatal(ended.Err)
			}
			guardToRest(t, undoOf(s.run), w, undone.Dump())
		})
	}
}

func guardToRest(t *testing.T, r Run, w *World, want map[string]string) {
	t.Helper()
	for _, p := range killStates(t, r, w, sampleStride(8)) {
		ended, forward := watch(t, r, p.world)
		if ended.Err != nil || len(forward) > 0 || p.world.isMoving() {
			t.Errorf("%s: %v; still moving: %t; wrote %q", p.where, ended.Err, p.world.isMoving(), forward)
		}
		if user := p.world.machines[4].node; at(p.world.down.peek("nodes", "", user), "spec", "unschedulable") != true {
			t.Errorf("%s: Node %s lost its user's cordon", p.where, user)
		}
		r.ID = p.world.nextRun()
		if wrong := faults(p.world, do(t, r, p.world), want); wrong != "" {
			t.Errorf("%s, then guarded, then resumed: %s", p.where, wrong)
		}
	}
}

// isMoving reports whether Rancher has a current machine or a next one.
func (w *World) isMoving() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	spec := planeSpec(w.mgmt.get(provClusters, fleet, clusterName))
	return w.rancher.rolling != "" || slices.ContainsFunc(w.machines, func(m machine) bool { return !reflect.DeepEqual(m.config, mergeConfig(spec, m)) })
}

// pausedBy returns the run that paused the cluster, or an empty string.
func (w *World) pausedBy() string {
	return text(w.mgmt.peek(controlPlanes, fleet, clusterName), "metadata", "annotations", "awsmigrate.io/paused-by")
}

// A machine returned under a second name in unwatched time. The guard's first reading pauses the
// rollout, even if the guard must not continue it.
func TestGuardBrakes(t *testing.T) {
	for _, s := range guarded {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			requirePause(t, s.run, s.world())
		})
		t.Run(s.name+", undo", func(t *testing.T) {
			t.Parallel()
			requirePause(t, undoOf(s.run), migrateWorld(t, s))
		})
	}
}

func requirePause(t *testing.T, r Run, w *World) {
	t.Helper()
	for _, p := range killStates(t, r, w, sampleStride(4)) {
		p.world.AddSecondNode(1)
		began := p.world.Now()
		ended, forward := watch(t, r, p.world)
		f, _ := fault.As(ended.Err)
		if f == nil || f.Reason != "NodeRenamed" || len(forward) > 0 || p.world.pausedBy() == "" {
			t.Errorf("%s: %v, paused by %q; wrote %q", p.where, ended.Err, p.world.pausedBy(), forward)
		}
		if took := p.world.Now().Sub(began); took > time.Minute {
			t.Errorf("%s: the pause took %s", p.where, took)
		}
	}
}

// A version that cannot read the journal of a newer one guards without it: it pauses the rollout,
// leaves the journal unchanged, and writes nothing else.
func TestGuardWithoutAJournalItCanRead(t *testing.T) {
	for _, s := range guarded {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for _, p := range killStates(t, s.run, s.world(), 1) {
				rewriteJournal(p.world, func(s string) string { return strings.Replace(s, "journal/v1", "journal/v2", 1) })
				p.world.AddSecondNode(1)
				journal := p.world.Journal()
				ended, forward := watch(t, s.run, p.world)
				f, _ := fault.As(ended.Err)
				if f == nil || f.Reason != "NodeRenamed" || len(forward) > 0 || p.world.pausedBy() == "" {
					t.Errorf("%s: %v, paused by %q; wrote %q", p.where, ended.Err, p.world.pausedBy(), forward)
				}
				if p.world.Journal() != journal {
					t.Errorf("%s: it changed the journal", p.where)
				}
			}
		})
	}
}
