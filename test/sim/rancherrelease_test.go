package sim

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// operation is the owner of a Beacon that an operation of Rancher holds.
const operation = "encryption-key-rotation"

// dumpDownstream returns the state of the migrated cluster.
func (w *World) dumpDownstream() map[string]string {
	state := w.Dump()
	maps.DeleteFunc(state, func(name, _ string) bool { return !strings.HasPrefix(name, "downstream ") })
	return state
}

// A migration and its undo end on every release of Rancher as on 2.8.
func TestReleasesOfRancher(t *testing.T) {
	migrated, undone := NewRKE2(), NewRKE2()
	for w, runs := range map[*World][]Run{migrated: {{}}, undone: {{}, {Undo: true}}} {
		for _, r := range runs {
			r.ID = w.nextRun()
			if ended := do(t, r, w); ended.Err != nil {
				t.Fatal(ended.Err)
			}
		}
	}
	for _, release := range []rancherRelease{rancher214, rancher215} {
		t.Run(release.version, func(t *testing.T) {
			t.Parallel()
			w := release.newRKE2(defaultConfig())
			for _, want := range []*World{migrated, undone} {
				ended := do(t, Run{ID: w.nextRun(), Undo: want == undone}, w)
				if d := cmp.Diff(want.dumpDownstream(), w.dumpDownstream()); ended.Err != nil || d != "" || len(w.Violations()) > 0 {
					t.Errorf("undo %t: %v %v %s", want == undone, ended.Err, w.Violations(), d)
				}
			}
		})
	}
}

// beaconChange is a change of the Beacon at a boundary of two steps, and the cause that a run must
// name.
type beaconChange struct {
	name  string
	apply func(*World)
	cause string
	every int // boundaries per tried one
}

var beaconChanges = []beaconChange{
	{"held", func(w *World) { w.putBeacon(operation) }, `Beacon fleet-default/demo: held by "` + operation + `"`, 1},
	{"absent", func(w *World) { w.mgmt.remove(key{beacons, fleet, clusterName}) }, "Beacon fleet-default/demo: does not exist", 3},
}

// At every boundary of two steps, an operation acquires the Beacon, or the Beacon is gone. The run
// writes nothing but the journal, its lock, cordons, a pause and the grant until that ends. Its
// first reading that waits, or its error, names the cause. Afterwards the same command completes.
func TestBeaconAtEveryStep(t *testing.T) {
	for _, undo := range []bool{false, true} {
		for _, change := range beaconChanges {
			t.Run(map[bool]string{false: "run ", true: "undo "}[undo]+change.name, func(t *testing.T) {
				t.Parallel()
				start := beaconWorld(t, undo)
				steps := startedSteps(t, undo, start.clone())
				for i := 0; i < len(steps); i += sampleStride(change.every) {
					beaconAt(t, start.clone(), undo, steps[i], change)
				}
			})
		}
	}
}

// beaconWorld returns a cluster of Rancher 2.15, migrated if it will be undone.
func beaconWorld(t *testing.T, migrated bool) *World {
	t.Helper()
	w := rancher215.newRKE2(defaultConfig())
	if migrated {
		if ended := do(t, Run{ID: w.nextRun()}, w); ended.Err != nil {
			t.Fatal(ended.Err)
		}
	}
	return w
}

// startedSteps returns the steps that an undisturbed run starts, in order.
func startedSteps(t *testing.T, undo bool, w *World) []journal.StepID {
	t.Helper()
	var steps []journal.StepID
	ended := do(t, Run{ID: w.nextRun(), Undo: undo, Sink: runner.SinkFunc(func(e runner.Event) {
		if e.Type == runner.StepStarted {
			steps = append(steps, e.Step)
		}
	})}, w)
	if ended.Err != nil || len(steps) == 0 {
		t.Fatal(ended.Err, steps)
	}
	return steps
}

func beaconAt(t *testing.T, w *World, undo bool, step journal.StepID, change beaconChange) {
	t.Helper()
	changed, named := false, ""
	var wrote []string
	r := Run{ID: w.nextRun(), Undo: undo, EveryReading: true, Timeout: time.Minute}
	r.Before = func(c Call) Outcome {
		// The grant of the migration lease does not depend on Rancher.
		if changed && goesForward(c) && !strings.Contains(c.Path, "/rbac.authorization.k8s.io/") {
			wrote = append(wrote, c.String())
		}
		return Pass
	}
	r.Sink = runner.SinkFunc(func(e runner.Event) {
		switch {
		case e.Type == runner.StepStarted && e.Step == step:
			w.mu.Lock()
			defer w.mu.Unlock()
			change.apply(w)
			changed = true
		case changed && named == "" && e.Type == runner.StepWaiting:
			named = e.Waiting.Seen
		}
	})
	ended := do(t, r, w)
	if ended.Err != nil {
		named += "\n" + ended.Err.Error()
	}
	if !changed || len(wrote) > 0 || !strings.Contains(named, change.cause) {
		t.Errorf("%s: %v; named %q; wrote %q", step, ended.Err, named, wrote)
	}
	w.putBeacon("")
	if ended := do(t, Run{ID: w.nextRun(), Undo: undo}, w); ended.Err != nil || len(w.Violations()) > 0 {
		t.Errorf("%s, then released: %v %v", step, ended.Err, w.Violations())
	}
}
