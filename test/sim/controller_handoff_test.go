package sim

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// committer commits the edits that the object names, by the text that it refers to.
type committer struct {
	person
	t     *testing.T
	steps []journal.StepID // of the commits
}

func (c *committer) act() bool {
	w := c.w
	if !w.shows("Awaiting-Owner") {
		return c.person.act()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.advance(time.Now())
	handoff := mapAt(w.mgmt.get(migrations, fleet, clusterName), "status", "handoff")
	step := journal.StepID(text(handoff, "step"))
	if step == "" || slices.Contains(c.steps, step) {
		return false // appears a moment later
	}
	data := mapAt(w.mgmt.get(configMaps, fleet, text(handoff, "ref", "name")), "data")
	if named, _ := data[text(handoff, "ref", "key")].(string); named == "" || text(handoff, "since") == "" {
		c.t.Errorf("%s names no text: %s", must(jsonOf(handoff)), must(jsonOf(data)))
	}
	edit, _ := data["edit-fleet"].(string)
	commit(c.t, w, edit)
	c.steps = append(c.steps, step)
	return false
}

// With handed-off edits, the object names each when it is due, in the form for the Cluster's
// owner. A commit makes the controller continue, in both directions. The controller writes no
// configuration.
func TestControllerHandsOver(t *testing.T) {
	t.Parallel()
	w := controlled(t)
	c := &committer{person: person{w: w, last: "Undo", edits: "Handoff"}, t: t}
	o := pod{Next: true, Before: func(c Call) Outcome {
		if edits(c) {
			t.Errorf("%s: the configuration is not the controller's to write", c)
		}
		return Pass
	}}
	if !awaitWithin(t, 5*time.Hour, o, w, c.act) {
		t.Fatalf("the goal was not reached: %s", must(jsonOf(at(w.migration(), "status"))))
	}
	want := []journal.StepID{migration.StepEnable, migration.StepSwitch, migration.StepUndoSwitch, migration.StepUndoEnable}
	if diff := cmp.Diff(want, c.steps); diff != "" {
		t.Errorf("commits (-want +is):\n%s", diff)
	}
	if wrong := append(w.Violations(), w.cordonFaults()...); len(wrong) > 0 {
		t.Error(wrong)
	}
	for key := range mapAt(w.mgmt.get(configMaps, fleet, planName), "data") {
		if key == "edit-fleet" {
			t.Errorf("key %s is left, but no commit is due", key)
		}
	}
}
