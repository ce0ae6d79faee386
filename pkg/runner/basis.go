package runner

import (
	"fmt"
	"maps"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Basis is what a plan rests on besides what it writes. An approval of the plan is one for
// this cluster, this goal and these options, and for one time: once the goal is reached or
// turned round, another epoch begins.
type Basis struct {
	Object  string            `json:"object,omitempty"`  // UID of the object with the configuration; "": a file has it
	Cluster string            `json:"cluster"`           // UID of the cluster's kube-system
	Goal    string            `json:"goal"`              // what the procedure is for, e.g. "migrate"
	Options map[string]string `json:"options,omitempty"` // the choices that shape it, skipped checks among them, as flags name them
	Epoch   int               `json:"epoch"`
	// Restored says that the plan was made for a journal that came from a backup.
	Restored bool `json:"restored,omitempty"`
}

// WholePlan is a plan as a whole, as somebody approves it.
type WholePlan struct {
	Version string        `json:"version"` // of the awsmigrate that made it
	Basis   Basis         `json:"basis"`
	Steps   []PlannedStep `json:"steps"`
	// ApprovedAs is the hash that was approved, if it covers more than Hash does; else empty.
	ApprovedAs string `json:"-"`
}

// in completes what a procedure says of its basis by what the journal counts.
func (b Basis) in(st journal.State, steps []Info, seen Observation) Basis {
	b.Epoch, b.Restored = st.EpochOf(b.Goal, putBack(st, steps, seen) != ""), st.Restored()
	return b
}

// moved says what a saved plan rests on that is otherwise now; nil: nothing.
func (b Basis) moved(saved Basis) error {
	stale := func(reason, object, seen, wanted string) error {
		return &fault.Error{Class: fault.Stale, Reason: reason, Object: object, Seen: seen, Wanted: wanted, Fix: newPlan}
	}
	switch {
	case saved.Cluster != b.Cluster || saved.Object != b.Object:
		return stale("PlanOfAnotherCluster", "the saved plan", fmt.Sprintf("is for the cluster with UID %s, configured by the object with UID %q", saved.Cluster, saved.Object),
			fmt.Sprintf("%s and %q: a cluster of the same name is another cluster", b.Cluster, b.Object))
	case saved.Goal != b.Goal:
		return stale("PlanMoved", "the saved plan", "is one to "+saved.Goal, "one to "+b.Goal)
	case b.Restored && !saved.Restored:
		return restored("the saved plan was made before")
	case saved.Epoch != b.Epoch:
		return stale("PlanUsed", "the saved plan", fmt.Sprintf("was made when %s; by now %s", reached(saved.Epoch), reached(b.Epoch)),
			"a plan that was made since: an approval serves one migration, or one undo, once")
	}
	for _, name := range slices.Sorted(maps.Keys(union(saved.Options, b.Options))) {
		if then, now := saved.Options[name], b.Options[name]; then != now {
			return stale("PlanMoved", name, fmt.Sprintf("is %q, and was %q when the plan was made", now, then), "the options of the saved plan")
		}
	}
	return nil
}

const newPlan = "look at a new plan, save it, and apply that"

// reached says an epoch in words.
func reached(epoch int) string {
	switch epoch {
	case 0:
		return "this cluster had reached or turned round no goal"
	case 1:
		return "this cluster had reached or turned round a goal once"
	}
	return fmt.Sprintf("this cluster had reached or turned round a goal %d times", epoch)
}

// restored is the fault of a run for which nobody has looked at what a restore of Rancher
// brought back.
func restored(why string) error {
	return &fault.Error{Class: fault.Stale, Reason: "ManagementRestored", Object: "the journal",
		Seen:   "counts less than the cluster itself: Rancher was restored from an older backup, or the journal was deleted; " + why,
		Wanted: "a plan made since, looked at and approved", Fix: "see docs/after-a-restore.md, then look at `plan`, save it with -o json and apply it with --plan"}
}

func union(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, b)
	return all
}

// putBack is the first step that was seen to its end and is to do again, because somebody
// has put back what it changed; "": none. A later step that is in progress goes before:
// what it has begun is watched.
func putBack(st journal.State, steps []Info, seen Observation) journal.StepID {
	order := make([]journal.StepID, 0, len(steps))
	for _, step := range steps {
		order = append(order, step.ID)
	}
	for i, id := range order {
		begun := slices.ContainsFunc(order[i:], func(id journal.StepID) bool { return seen.States[id].Kind == InProgress })
		if seen.States[id].Kind == Todo && !begun && st.Verified(id, order) {
			return id
		}
	}
	return ""
}

// reverted is the fault of a saved plan that would do again what was done under it.
func reverted(step journal.StepID) error {
	return &fault.Error{Class: fault.Stale, Reason: "Reverted", Object: "step " + string(step),
		Seen: "was done under this plan and is to do again: somebody has put back what it changed", Wanted: "done",
		Fix: "find out who did, and tell them; then " + newPlan}
}
