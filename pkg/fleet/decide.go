package fleet

import (
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// Action is what to do now.
type Action string

const (
	// Nothing is done but what was decided on an interval, such as an audit.
	Nothing Action = "nothing"
	// Guard watches what rolls to its rest, writing nothing forward.
	Guard Action = "guard"
	// Run begins the next block, or goes on with one.
	Run Action = "run"
)

// Decision is an action, how it is shown, and when to ask again at the latest.
type Decision struct {
	Action Action
	Shown  status.Moment
	Again  time.Time // the zero time: when something changes
}

// Decide says what is to be done for an object now. The guard comes before the gates:
// these decide only whether a next block begins.
func Decide(m *v1alpha1.ClusterMigration, f Facts) Decision {
	d := decide(m, f)
	d.Shown.Generation = m.Generation
	return d.explained(f)
}

// explained adds to a decision that waits for a person why the last block of steps ended
// early.
func (d Decision) explained(f Facts) Decision {
	if slices.Contains([]status.State{status.Paused, status.AwaitingApproval, status.AwaitingOwner}, d.Shown.State) {
		d.Shown.Cause = f.Withdrawn
	}
	return d
}

func decide(m *v1alpha1.ClusterMigration, f Facts) Decision {
	if f.Rolling && !f.Gone { // what is being deleted is not held back
		return rolling(f)
	}
	if stalled, is := stalls(m, f); is {
		return show(status.Stalled, stalled.reason, stalled.message)
	}
	if goal := m.Spec.Goal.OrDefault(); goal == v1alpha1.GoalAudit || f.AuditsOnly {
		return audited(f)
	}
	if f.Reached {
		return reached(f)
	}
	return gates(m, f)
}

// rolling: whatever rolls is watched, by a guard, also where a run could go on with it. A
// run looks at its own step first where that is not at its end, and else makes its checks:
// it would wait for a harm to pass that a guard brakes at its first reading. Behind the
// guard the block goes on.
func rolling(f Facts) Decision {
	if f.Locked != "" {
		return again(f, status.Locked, f.Locked+" watches what rolls out")
	}
	return act(Guard, status.Guarding, "", "")
}

// stall is why nothing goes on until somebody helps.
type stall struct {
	reason  status.Reason
	message string
}

func stalls(m *v1alpha1.ClusterMigration, f Facts) (stall, bool) {
	if wrong := m.Validate(); len(wrong) > 0 {
		return stall{status.Invalid, wrong.ToAggregate().Error()}, true
	}
	switch {
	case f.Outdated:
		return stall{status.CRDOutdated, "the definition of ClusterMigration is older than this awsmigrate or could not be read, and may drop fields: upgrade the chart awsmigrate-crd"}, true
	case f.Gone:
		return stall{status.ClusterGone, "there is no Cluster of this name in this namespace: delete this object"}, true
	case f.Braked != "":
		return stall{status.BrakePulled, f.Braked}, true
	case f.Refused != "":
		return stall{status.Failed, f.Refused}, true
	case f.Crashed:
		return stall{status.CrashLoop, "the last three runs died within an hour: see their logs, then set the annotation awsmigrate.io/retry"}, true
	case f.Reverted && m.Spec.Goal != v1alpha1.GoalUndo: // which is a person's way out, with a plan of its own
		return stall{status.Reverted, revertedBy(f.RevertedBy) + " took back what was done: put it right there, or set goal Undo"}, true
	case f.Plan.Restored && m.Spec.ApprovedPlan != f.Plan.Hash:
		return stall{status.ManagementRestored, "the journal counts less than the cluster: Rancher was restored from an older backup. Look at the plan, and approve it anew"}, true
	}
	return stall{}, false
}

func revertedBy(manager string) string {
	if manager == "" {
		return "somebody"
	}
	return manager
}

func audited(f Facts) Decision {
	switch {
	case !f.Audited:
		return show(status.Auditing, "", "")
	case f.Failing > 0:
		return show(status.Findings, "", "")
	}
	return show(status.Succeeded, "", "the last audit passed")
}

// reached is a goal that the cluster is at. Green also needs an audit that passed.
func reached(f Facts) Decision {
	if !f.Audited || f.Failing > 0 {
		return audited(f)
	}
	return show(status.Succeeded, "", "")
}

// pause is how long what passes by itself is left alone before it is asked for again.
const pause = 30 * time.Second

func again(f Facts, reason status.Reason, message string) Decision {
	d := show(status.Pending, reason, message)
	d.Again = f.Now.Add(pause)
	return d
}

func show(state status.State, reason status.Reason, message string) Decision {
	return act(Nothing, state, reason, message)
}

func act(action Action, state status.State, reason status.Reason, message string) Decision {
	return Decision{Action: action, Shown: status.Moment{State: state, Reason: reason, Message: message}}
}

func running(goal v1alpha1.Goal) status.State {
	if goal == v1alpha1.GoalUndo {
		return status.Undoing
	}
	return status.Running
}
