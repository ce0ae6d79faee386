package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/controller"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// gap describes the changes between a killed controller and the next one, on a cluster with a
// rollout.
type gap struct {
	between func(w *World) // w.mu is held; may be nil
	next    pod
}

var gaps = map[string]gap{
	"the same pod":        {next: pod{Next: true}},
	"another machine":     {},
	"upgraded":            {next: podOfVersion("v2")},
	"downgraded":          {next: podOfVersion("v0")},
	"in mode audit":       {next: pod{Change: func(o *controller.Options) { o.AuditsOnly = true }}},
	"the object deleted":  {between: func(w *World) { w.mgmt.remove(key{migrations, fleet, clusterName}) }},
	"the status deleted":  {between: objects(func(m object) { delete(m, "status") })},
	"paused":              {between: specs("paused", true)},
	"goal Audit":          {between: specs("goal", "Audit")},
	"not approved":        {between: specs("approvedPlan", "")},
	"until an early step": {between: specs("until", string(migration.StepLeaseAccess))},
	"the window closed":   {between: specs("windows", []any{object{"schedule": "0 0 29 2 *", "duration": "30m"}})},
	"a Secret gone":       {between: specs("options", object{"aws": object{"secretRef": object{"name": "gone"}}})},
}

func podOfVersion(v string) pod {
	return pod{Change: func(o *controller.Options) { o.Version = v }}
}

// objects returns a function that changes the object.
func objects(change func(m object)) func(*World) {
	return func(w *World) {
		m := w.mgmt.get(migrations, fleet, clusterName)
		change(m)
		w.mgmt.put(migrations, m, w.now)
	}
}

func specs(field string, value any) func(*World) {
	return objects(func(m object) { mapAt(m, "spec")[field] = value })
}

// rolloutWorlds returns two worlds for each step that rolls: at the beginning of its rollout, and
// when the last machine is current.
func rolloutWorlds(t *testing.T, from *World, goal string) (first, last map[journal.StepID]*World, end *World) {
	t.Helper()
	first, last, end = map[journal.StepID]*World{}, map[journal.StepID]*World{}, from.clone()
	of := ""
	o := pod{Next: true, Before: func(Call) Outcome {
		if !end.rollsAtLast() {
			return Pass
		}
		step := end.lastStep()
		if first[step] == nil {
			first[step] = end.clone()
		}
		if now := string(step) + end.rancher.rolling; now != of {
			of, last[step] = now, end.clone()
		}
		return Pass
	}}
	if !carry(t, o, end, goal) {
		t.Fatalf("goal %s was not reached", goal)
	}
	return first, last, end
}

// lastStep returns the step of the last effect that a run began. w.mu is held.
func (w *World) lastStep() journal.StepID {
	intents := list(w.journalObject(), "intents")
	return journal.StepID(text(intents[len(intents)-1].(object), "step"))
}

// The maximum time until the next controller acts. On another machine, the election's Lease and
// then the previous lock must expire first.
const (
	mostInThePod  = time.Minute
	mostElsewhere = 200 * time.Second
)

// A rollout is watched regardless of its controller's fate and of the gates. In every rolling step
// of both directions, a machine returns under a second name in the gap. The next controller pauses
// the rollout, writes nothing forward, and keeps the user's cordon.
func TestControllerBrakesBehindEveryGap(t *testing.T) {
	t.Parallel()
	there, thereLast, migrated := rolloutWorlds(t, controlled(t), "Migrate")
	back, backLast, _ := rolloutWorlds(t, migrated, "Undo")
	var steps []journal.StepID
	for _, worlds := range []map[journal.StepID]*World{there, back} {
		steps = append(steps, slices.Sorted(maps.Keys(worlds))...)
	}
	if diff := cmp.Diff([]journal.StepID{migration.StepEnable, migration.StepSwitch, migration.StepUndoEnable, migration.StepUndoSwitch}, steps); diff != "" {
		t.Errorf("steps that roll (-want +is):\n%s", diff)
	}
	for when, worlds := range map[string][]map[journal.StepID]*World{"the first machine": {there, back}, "the last machine": {thereLast, backLast}} {
		for _, of := range worlds {
			for step, w := range of {
				for _, name := range slices.Sorted(maps.Keys(gaps)) {
					t.Run(fmt.Sprintf("%s, %s, %s", step, when, name), func(t *testing.T) { gaps[name].checkPause(t, w.clone()) })
				}
			}
		}
	}
}

// checkPause runs the next controller on w, in which a machine has a second Node.
func (g gap) checkPause(t *testing.T, w *World) {
	t.Helper()
	if g.between != nil {
		g.between(w)
	}
	w.addSecondNodeLocked(1)
	w.rancher.stuck = true // the next controller arrives before the cluster is at rest
	began := w.Now()
	o := g.next
	o.Before = func(c Call) Outcome {
		if goesForward(c) && !strings.Contains(c.Path, "/clustermigrations") && !strings.Contains(c.Path, "/events") {
			t.Errorf("wrote forward: %s", c)
		}
		return Pass
	}
	if !awaitWithin(t, time.Hour, o, w, w.hasPause) {
		t.Fatalf("no controller paused the rollout; the object shows %s", must(jsonOf(at(w.migration(), "status", "display"))))
	}
	most := mostElsewhere
	if g.next.Next {
		most = mostInThePod
	}
	if took := w.Now().Sub(began); took > most {
		t.Errorf("the pause took %s", took)
	}
	if user := w.machines[4].node; at(w.down.peek("nodes", "", user), "spec", "unschedulable") != true {
		t.Errorf("Node %s lost its user's cordon", user)
	}
}

// A controller that stops on request releases the lock during the rollout, and the next one pauses
// it at once.
func TestControllerBrakesBehindACleanStop(t *testing.T) {
	t.Parallel()
	_, _, migrated := rolloutWorlds(t, controlled(t), "Migrate")
	for step, from := range map[journal.StepID]*World{
		migration.StepEnable: controlled(t), migration.StepSwitch: controlled(t), migration.StepUndoSwitch: migrated, migration.StepUndoEnable: migrated,
	} {
		t.Run(string(step), func(t *testing.T) {
			t.Parallel()
			w, goal := from.clone(), "Migrate"
			if from == migrated {
				goal = "Undo"
			}
			if !awaitWithin(t, 3*time.Hour, pod{Next: true}, w, func() bool {
				person{w: w, last: goal}.act()
				w.mu.Lock()
				defer w.mu.Unlock()
				w.rancher.stuck = w.rollsAtLast() && w.lastStep() == step
				return w.rancher.stuck
			}) {
				t.Fatal("the cluster never rolls out")
			}
			if holder := text(w.mgmt.peek(leasesResource, fleet, journal.Name(clusterName)), "spec", "holderIdentity"); holder != "" {
				t.Errorf("the lock is held by %s", holder)
			}
			if !w.rolls() {
				t.Fatal("the cluster is at rest already: nothing to pause")
			}
			gap{next: pod{Next: true}}.checkPause(t, w)
		})
	}
}

// An undo rests between two steps, and in the gap a machine returns under a second name. The next
// controller does not continue, because it must not mistake the new Node for one that the undo
// removes. It continues once a person has continued the undo.
func TestControllerStopsAtRestBehindAGap(t *testing.T) {
	t.Parallel()
	_, _, w := rolloutWorlds(t, controlled(t), "Migrate")
	objects(func(m object) { mapAt(m, "spec")["until"] = string(migration.StepUndoSwitch) })(w)
	undone := func(state string) func() bool {
		return func() bool {
			person{w: w, last: "Undo"}.act()
			m := w.migration()
			return text(m, "spec", "goal") == "Undo" && text(m, "status", "display", "state") == state
		}
	}
	if !awaitWithin(t, 3*time.Hour, pod{Next: true}, w, undone("Paused")) || w.lastStep() != migration.StepUndoSwitch {
		t.Fatalf("it does not stop after step %s, but %s", w.lastStep(), must(jsonOf(at(w.migration(), "status", "display"))))
	}
	w.AddSecondNode(1)
	specs("until", "")(w)
	second, o := "second-"+w.machines[1].node, pod{Next: true}
	o.Before = func(c Call) Outcome {
		if goesForward(c) && !strings.Contains(c.Path, "/clustermigrations") && !strings.Contains(c.Path, "/events") {
			t.Errorf("wrote forward: %s", c)
		}
		return Pass
	}
	shows := func() string { return text(w.migration(), "status", "display", "message") }
	if awaitWithin(t, time.Hour, o, w, undone("Succeeded")) || !strings.Contains(shows(), second) {
		t.Errorf("the object shows %q", shows())
	}
	end := do(t, Run{ID: w.nextRun(), Undo: true, Attended: true, Elsewhere: true}, w)
	if fault.ClassOf(end.Err) != fault.Check || w.lastStep() != migration.StepUndoAccess { // its audit finds both Nodes
		t.Errorf("a person's undo ends after %s: %v", w.lastStep(), end.Err)
	}
	if !awaitWithin(t, time.Hour, pod{Next: true}, w, undone("Findings")) {
		t.Errorf("after a person's undo the object shows %q", shows())
	}
}
