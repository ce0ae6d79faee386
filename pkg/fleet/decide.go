package fleet

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/window"
)

// Facts are what is known of one cluster at one time. What could not be read is for the
// caller: nothing is decided on half of it.
type Facts struct {
	Now time.Time
	// AuditsOnly: this installation writes nothing but what a guard does.
	AuditsOnly bool
	// Outdated: the served definition is older than this awsmigrate, and may drop fields.
	Outdated bool
	// Gone: there is no Cluster of that name, or it is being deleted.
	Gone bool
	// Locked is who holds the cluster, for people; "": nobody else.
	Locked string
	// Crashed: the last three runs died within an hour, and nobody has asked for another try.
	Crashed bool
	// Rolling is what an earlier run has begun and Rancher still carries out; nil: nothing.
	Rolling *Rolling
	// Reverted: somebody has put back what was done; by whom, as far as is known.
	Reverted   bool
	RevertedBy string
	// Reached: the goal is.
	Reached bool
	// Plan is what would be done now.
	Plan Plan
	// RancherMoves is why Rancher itself is not at rest; "": it is.
	RancherMoves string
	// Full: as many runs as may be are under way.
	Full bool
	// Failing is how many checks of the last audit failed; Audited: there was one.
	Failing int
	Audited bool
}

// Rolling is a rollout without a run.
type Rolling struct {
	// Goal is what the run that began it was after.
	Goal v1alpha1.Goal
	// Approved is the hash of the plan by which it was begun.
	Approved string
	// AsPlanned: what is left of its block would be written as it was approved.
	AsPlanned bool
}

// Plan is what would be done now, as far as a decision needs it.
type Plan struct {
	Hash string
	// Restored: it is made on a journal that counts less than the cluster.
	Restored bool
	// Next is how long the next block is planned to take.
	Next time.Duration
	// Begun: a step of that block was taken already, so that its rest follows whatever
	// the window says.
	Begun bool
}

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
	return d
}

func decide(m *v1alpha1.ClusterMigration, f Facts) Decision {
	if f.Rolling != nil {
		return rolling(m, f)
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

// rolling: whatever rolls is watched. It is by the run that goes on with its block, where
// that may still be written as it was approved, and else by a guard.
func rolling(m *v1alpha1.ClusterMigration, f Facts) Decision {
	if f.Locked != "" {
		return show(status.Pending, status.Locked, f.Locked+" watches what rolls out")
	}
	if goesOn(m, f) {
		return act(Run, running(f.Rolling.Goal), "", "")
	}
	return act(Guard, status.Guarding, "", "")
}

// goesOn says whether a begun block may be finished: by the goal, the plan and the hand
// that it was begun with. Windows and slots do not matter for it.
func goesOn(m *v1alpha1.ClusterMigration, f Facts) bool {
	if _, stalled := stalls(m, f); stalled || f.AuditsOnly || m.Spec.Paused || !m.DeletionTimestamp.IsZero() {
		return false
	}
	r := f.Rolling
	return r.AsPlanned && r.Approved != "" && r.Approved == m.Spec.ApprovedPlan && r.Goal == m.Spec.Goal.OrDefault()
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
		return stall{status.CRDOutdated, "the definition of ClusterMigration is older than this awsmigrate and may drop fields: upgrade the chart awsmigrate-crd"}, true
	case f.Gone:
		return stall{status.ClusterGone, "there is no Cluster of this name in this namespace: delete this object"}, true
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

// gates are asked in this order, the one that a person can answer first.
func gates(m *v1alpha1.ClusterMigration, f Facts) Decision {
	switch spec := &m.Spec; {
	case !m.DeletionTimestamp.IsZero():
		return show(status.Paused, "", "this object is being deleted: no step begins")
	case spec.Paused:
		return show(status.Paused, "", "")
	case f.RancherMoves != "":
		return again(f, status.Pending, status.RancherNotAtRest, f.RancherMoves)
	case spec.Edits == "":
		return show(status.AwaitingOwner, "", "")
	case spec.ApprovedPlan == "":
		return show(status.AwaitingApproval, "", "")
	case spec.ApprovedPlan != f.Plan.Hash:
		return show(status.AwaitingApproval, status.PlanMoved, "the plan is not the one that was approved: look at it, then set spec.approvedPlan to status.plan.hash")
	}
	if closed, is := closedTo(m, f); is {
		return closed
	}
	switch {
	case f.Full:
		return again(f, status.Pending, status.NoSlot, "as many runs as may be are under way")
	case f.Locked != "":
		return again(f, status.Pending, status.Locked, f.Locked+" holds the cluster")
	}
	return act(Run, running(m.Spec.Goal), "", "")
}

// closedTo is what windows keep from beginning. A block that was begun is never cut.
func closedTo(m *v1alpha1.ClusterMigration, f Facts) (Decision, bool) {
	if f.Plan.Begun {
		return Decision{}, false
	}
	set, err := Windows(m.Spec.Windows)
	if err != nil {
		return show(status.Stalled, status.BadWindow, "spec."+err.Error()), true
	}
	fit := set.Fits(f.Now, f.Plan.Next)
	switch {
	case fit.Err() != nil:
		return show(status.Stalled, status.WindowTooShort, "spec."+fit.Err().Error()), true
	case !fit.Now:
		return Decision{Action: Nothing, Shown: status.Moment{State: status.AwaitingWindow, Message: "the next block begins at " + fit.Begin.Format(time.RFC3339)}, Again: fit.Begin}, true
	}
	return Decision{}, false
}

// Windows reads those of a spec. An error is one of window.Parse.
func Windows(specs []v1alpha1.Window) (window.Set, error) {
	var plain []window.Spec
	for _, spec := range specs {
		length, err := time.ParseDuration(spec.Duration)
		if err != nil {
			length = 0 // no length that a window may have: Parse names it
		}
		plain = append(plain, window.Spec{Schedule: spec.Schedule, Duration: length, TimeZone: spec.TimeZone})
	}
	return window.Parse(plain)
}

// pause is how long what passes by itself is left alone before it is asked for again.
const pause = 30 * time.Second

func again(f Facts, state status.State, reason status.Reason, message string) Decision {
	d := show(state, reason, message)
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
