package runner

import (
	"fmt"
	"maps"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Basis holds what a plan depends on besides its changes. An approval is valid for one cluster,
// one goal, one set of options, and one epoch: the next epoch begins when the goal is reached or
// reversed.
type Basis struct {
	Object  string            `json:"object,omitempty"`  // UID of the object with the configuration; empty if it is in a file
	Cluster string            `json:"cluster"`           // UID of the cluster's kube-system
	Goal    string            `json:"goal"`              // purpose of the procedure, e.g. "migrate"
	Options map[string]string `json:"options,omitempty"` // options that affect the plan, including skipped checks, by flag name
	Epoch   int               `json:"epoch"`
	// Restored reports whether the journal came from a backup when the plan was made.
	Restored bool `json:"restored,omitempty"`
}

// WholePlan is a complete plan, in the form that a person approves.
type WholePlan struct {
	Version string        `json:"version"` // of the awsmigrate that made the plan
	Basis   Basis         `json:"basis"`
	Steps   []PlannedStep `json:"steps"`
	// ApprovedAs is the approved hash if that approval covers more than this plan, or empty.
	ApprovedAs string `json:"-"`
}

// withEpoch returns b with the epoch from the journal.
func (b Basis) withEpoch(st journal.State, steps []Info, obs Observation) Basis {
	b.Epoch, b.Restored = st.EpochOf(b.Goal, revertedStep(st, steps, obs) != ""), st.Restored()
	return b
}

// compareSaved returns an error that names the first difference between b and the saved basis, or nil.
func (b Basis) compareSaved(saved Basis) error {
	stale := func(reason, object, seen, wanted string) error {
		return &fault.Error{Class: fault.Stale, Reason: reason, Object: object, Seen: seen, Wanted: wanted, Fix: newPlanFix}
	}
	switch {
	case saved.Cluster != b.Cluster || saved.Object != b.Object:
		return stale("PlanOfAnotherCluster", "the saved plan", fmt.Sprintf("is for the cluster with UID %s, configured by the object with UID %q", saved.Cluster, saved.Object),
			fmt.Sprintf("%s and %q: a cluster of the same name is another cluster", b.Cluster, b.Object))
	case saved.Goal != b.Goal:
		return stale("PlanMoved", "the saved plan", "is one to "+saved.Goal, "one to "+b.Goal)
	case b.Restored && !saved.Restored:
		return restoredFault("the saved plan was made before")
	case saved.Epoch != b.Epoch:
		return stale("PlanUsed", "the saved plan",
			fmt.Sprintf("is for another migration or undo of this cluster: number %d, and this one is number %d", saved.Epoch+1, b.Epoch+1),
			"a newer plan: an approval serves one migration, or one undo, once")
	}
	for _, name := range slices.Sorted(maps.Keys(union(saved.Options, b.Options))) {
		if then, now := saved.Options[name], b.Options[name]; then != now {
			return stale("PlanMoved", name, fmt.Sprintf("is %q, and was %q when the plan was made", now, then), "the options of the saved plan")
		}
	}
	return nil
}

const newPlanFix = "look at a new plan, save it, and apply that"

// restoredFault returns the fault of a run after a restore of Rancher that no person has reviewed.
func restoredFault(why string) error {
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

// revertedStep returns the first completed step that is pending again because its changes were reverted,
// or "". It ignores a step if it or a later step is in progress: the run watches that rollout
// first.
func revertedStep(st journal.State, steps []Info, obs Observation) journal.StepID {
	order := make([]journal.StepID, 0, len(steps))
	for _, step := range steps {
		order = append(order, step.ID)
	}
	for i, id := range order {
		begun := slices.ContainsFunc(order[i:], func(id journal.StepID) bool { return obs.States[id].Kind == InProgress })
		if obs.States[id].Kind == Todo && !begun && st.Verified(id, order) {
			return id
		}
	}
	return ""
}

// revertedFault returns the fault of a saved plan that would repeat a step that was reverted.
func revertedFault(step journal.StepID) error {
	return &fault.Error{Class: fault.Stale, Reason: "Reverted", Object: "step " + string(step),
		Seen: "was done under this plan and is pending again: its changes were reverted", Wanted: "done",
		Fix: "find out what reverted them; then " + newPlanFix}
}
