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

// gap is what is otherwise when the next controller comes to a cluster that rolls, and on
// which the one before was killed.
type gap struct {
	between func(w *World) // w.mu is held; nil: nothing
	next    pod
}

var gaps = map[string]gap{
	"the same pod":        {next: pod{Next: true}},
	"another machine":     {},
	"upgraded":            {next: ofVersion("v2")},
	"downgraded":          {next: ofVersion("v0")},
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

func ofVersion(v string) pod {
	return pod{Change: func(o *controller.Options) { o.Version = v }}
}

// objects changes the object.
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

// rolling are a world in which each step that rolls has just begun to, by the step, and as
// it is when the last machine is in hand.
func rolling(t *testing.T, from *World, goal string) (first, last map[journal.StepID]*World, end *World) {
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

// lastStep is the step of the last thing that a run has begun. w.mu is held.
func (w *World) lastStep() journal.StepID {
	intents := list(w.journalObject(), "intents")
	return journal.StepID(text(intents[len(intents)-1].(object), "step"))
}

// How long the next controller may take: on another machine the election's Lease and then
// the lock of the one before have to run out.
const (
	mostInThePod  = time.Minute
	mostElsewhere = 200 * time.Second
)

// Whatever rolls is watched, whatever became of the controller that began it and whatever
// the gates say: in every step that rolls, there and back, a machine that came back under a
// second name in the gap is braked by the next controller, which writes nothing forward and
// leaves the user's cordon.
func TestControllerBrakesBehindEveryGap(t *testing.T) {
	t.Parallel()
	there, thereLast, migrated := rolling(t, controlled(t), "Migrate")
	back, backLast, _ := rolling(t, migrated, "Undo")
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
					t.Run(fmt.Sprintf("%s, %s, %s", step, when, name), func(t *testing.T) { gaps[name].braked(t, w.clone()) })
				}
			}
		}
	}
}

// braked has the next controller come to w, in which a machine has a second Node by now.
func (g gap) braked(t *testing.T, w *World) {
	t.Helper()
	if g.between != nil {
		g.between(w)
	}
	w.rename(1)
	w.rancher.stuck = true // the next controller comes before it is at rest
	began := w.Now()
	o := g.next
	o.Before = func(c Call) Outcome {
		if goesForward(c) && !strings.Contains(c.Path, "/clustermigrations") && !strings.Contains(c.Path, "/events") {
			t.Errorf("forward: %s", c)
		}
		return Pass
	}
	if !within(t, time.Hour, o, w, w.braked) {
		t.Fatalf("nobody brakes; it shows %s", must(jsonOf(at(w.migration(), "status", "display"))))
	}
	most := mostElsewhere
	if g.next.Next {
		most = mostInThePod
	}
	if took := w.Now().Sub(began); took > most {
		t.Errorf("braked after %s", took)
	}
	if user := w.machines[4].node; at(w.down.peek("nodes", "", user), "spec", "unschedulable") != true {
		t.Errorf("Node %s lost its user's cordon", user)
	}
}

// A controller that is asked to stop gives the lock back while the cluster rolls, and the
// next one brakes at once.
func TestControllerBrakesBehindACleanStop(t *testing.T) {
	t.Parallel()
	_, _, migrated := rolling(t, controlled(t), "Migrate")
	for step, from := range map[journal.StepID]*World{
		migration.StepEnable: controlled(t), migration.StepSwitch: controlled(t), migration.StepUndoSwitch: migrated, migration.StepUndoEnable: migrated,
	} {
		t.Run(string(step), func(t *testing.T) {
			t.Parallel()
			w, goal := from.clone(), "Migrate"
			if from == migrated {
				goal = "Undo"
			}
			if !within(t, 3*time.Hour, pod{Next: true}, w, func() bool {
				person{w: w, last: goal}.act()
				w.mu.Lock()
				defer w.mu.Unlock()
				w.rancher.stuck = w.rollsAtLast() && w.lastStep() == step
				return w.rancher.stuck
			}) {
				t.Fatal("it never rolls")
			}
			if holder := text(w.mgmt.peek(leasesResource, fleet, journal.Name(clusterName)), "spec", "holderIdentity"); holder != "" {
				t.Errorf("the lock is %s's", holder)
			}
			if !w.rolls() {
				t.Fatal("it is at rest by now: nothing is to be braked")
			}
			gap{next: pod{Next: true}}.braked(t, w)
		})
	}
}

// An undo that stands at rest between two steps does not go on by itself over a machine
// that came back under a second name in the gap: it does not take that for one that it goes
// back from. Once a person did, it goes on.
func TestControllerStopsAtRestBehindAGap(t *testing.T) {
	t.Parallel()
	_, _, w := rolling(t, controlled(t), "Migrate")
	objects(func(m object) { mapAt(m, "spec")["until"] = string(migration.StepUndoSwitch) })(w)
	undone := func(state string) func() bool {
		return func() bool {
			person{w: w, last: "Undo"}.act()
			m := w.migration()
			return text(m, "spec", "goal") == "Undo" && text(m, "status", "display", "state") == state
		}
	}
	if !within(t, 3*time.Hour, pod{Next: true}, w, undone("Paused")) || w.lastStep() != migration.StepUndoSwitch {
		t.Fatalf("it does not stop behind step %s, but %s", w.lastStep(), must(jsonOf(at(w.migration(), "status", "display"))))
	}
	w.renamed(1)
	specs("until", "")(w)
	second, o := "second-"+w.machines[1].node, pod{Next: true}
	o.Before = func(c Call) Outcome {
		if goesForward(c) && !strings.Contains(c.Path, "/clustermigrations") && !strings.Contains(c.Path, "/events") {
			t.Errorf("forward: %s", c)
		}
		return Pass
	}
	shows := func() string { return text(w.migration(), "status", "display", "message") }
	if within(t, time.Hour, o, w, undone("Succeeded")) || !strings.Contains(shows(), second) {
		t.Errorf("it shows %q", shows())
	}
	end := do(t, Run{ID: w.nextRun(), Undo: true, Attended: true, Elsewhere: true}, w)
	if fault.ClassOf(end.Err) != fault.Check || w.lastStep() != migration.StepUndoAccess { // its audit finds both Nodes
		t.Errorf("a person's undo ends behind %s: %v", w.lastStep(), end.Err)
	}
	if !within(t, time.Hour, pod{Next: true}, w, undone("Findings")) {
		t.Errorf("behind a person's undo it shows %q", shows())
	}
}
