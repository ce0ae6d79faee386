package fleet

import (
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// Action names the next action of the controller.
type Action string

const (
	// Nothing starts no run. Work at fixed intervals, such as an audit, continues.
	Nothing Action = "nothing"
	// Guard watches a rollout until the cluster is at rest, and runs no step.
	Guard Action = "guard"
	// Run begins the next block, or continues one.
	Run Action = "run"
)

// Decision is an action, its presentation, and the time of the next decision.
type Decision struct {
	Action Action
	Shown  status.Moment
	Again  time.Time // zero: when something changes
}

// Decide returns what to do for an object now. It checks for a rollout before the gates, which
// only decide whether the next block begins.
func Decide(m *v1alpha1.ClusterMigration, f Facts) Decision {
	d := decide(m, f)
	d.Shown.Generation = m.Generation
	return d.withCause(f)
}

// withCause adds the reason why the last block ended early to a decision that waits for a person.
func (d Decision) withCause(f Facts) Decision {
	if slices.Contains([]status.State{status.Paused, status.AwaitingTurn, status.AwaitingApproval, status.AwaitingOwner}, d.Shown.State) {
		d.Shown.Cause = f.Withdrawn
	}
	return d
}

func decide(m *v1alpha1.ClusterMigration, f Facts) Decision {
	if f.Rolling && !f.Gone { // a guard must not pause the deletion of a cluster
		return guardRollout(f)
	}
	if stalled, is := findStall(m, f); is {
		return show(status.Stalled, stalled.reason, stalled.message)
	}
	if goal := m.Spec.Goal.OrDefault(); goal == v1alpha1.GoalAudit || f.AuditsOnly {
		return auditDecision(f)
	}
	if f.Reached {
		return reachedGoal(f)
	}
	return checkGates(m, f)
}

// guardRollout watches a rollout with a guard, even if a run could continue it; the block
// continues afterwards. A run continues its own unfinished step, or else makes its checks. There
// it would wait for a harm to pass that a guard stops at its first read.
func guardRollout(f Facts) Decision {
	if f.Locked != "" {
		return retryLater(f, status.Locked, f.Locked+" watches what rolls out")
	}
	return act(Guard, status.Guarding, "", "")
}

// stall is the reason why nothing continues without help.
type stall struct {
	reason  status.Reason
	message string
}

func findStall(m *v1alpha1.ClusterMigration, f Facts) (stall, bool) {
	if wrong := m.Validate(); len(wrong) > 0 {
		return stall{status.Invalid, wrong.ToAggregate().Error()}, true
	}
	switch {
	case f.Outdated:
		return stall{status.CRDOutdated, "the definition of ClusterMigration is older than this awsmigrate or could not be read, and may drop fields: upgrade the chart awsmigrate-crd"}, true
	case f.Gone:
		return stall{status.ClusterGone, "there is no Cluster of this name in this namespace: delete this object"}, true
	case f.PausedRollout != "":
		return stall{status.RolloutPaused, f.PausedRollout}, true
	case f.Refused != "":
		return stall{status.Failed, f.Refused}, true
	case f.Crashed:
		return stall{status.CrashLoop, "the last three runs died within an hour: see their logs, then set the annotation awsmigrate.io/retry"}, true
	case f.Reverted && m.Spec.Goal != v1alpha1.GoalUndo: // Undo is the remedy, with its own plan
		return stall{status.Reverted, revertedBy(f.RevertedBy) + " reverted the migration: fix it there, or set goal Undo"}, true
	case f.Plan.Restored && m.Spec.ApprovedPlan != f.Plan.Hash:
		return stall{status.ManagementRestored, "the journal counts less than the cluster: Rancher was restored from an older backup. Look at the plan, and approve it again"}, true
	}
	return stall{}, false
}

func revertedBy(manager string) string {
	if manager == "" {
		return "another writer"
	}
	return manager
}

func auditDecision(f Facts) Decision {
	switch {
	case !f.Audited:
		return show(status.Auditing, "", f.Unaudited)
	case f.Failing > 0:
		return show(status.Findings, "", "")
	}
	return show(status.AuditPassed, "", "")
}

// reachedGoal returns the decision at a reached goal. Success also needs a passed audit.
func reachedGoal(f Facts) Decision {
	if !f.Audited || f.Failing > 0 {
		return auditDecision(f)
	}
	return show(status.Succeeded, "", "")
}

// retryInterval is the interval after which a transient obstacle is checked again.
const retryInterval = 30 * time.Second

func retryLater(f Facts, reason status.Reason, message string) Decision {
	d := show(status.Pending, reason, message)
	d.Again = f.Now.Add(retryInterval)
	return d
}

func show(state status.State, reason status.Reason, message string) Decision {
	return act(Nothing, state, reason, message)
}

func act(action Action, state status.State, reason status.Reason, message string) Decision {
	return Decision{Action: action, Shown: status.Moment{State: state, Reason: reason, Message: message}}
}

func runningState(goal v1alpha1.Goal) status.State {
	if goal == v1alpha1.GoalUndo {
		return status.Undoing
	}
	return status.Running
}
