package fleet

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/window"
)

// checkGates checks the gates in order, first those that a person can open.
func checkGates(m *v1alpha1.ClusterMigration, f Facts) Decision {
	switch spec := &m.Spec; {
	case !m.DeletionTimestamp.IsZero():
		return show(status.Paused, "", "this object is being deleted: no step begins")
	case spec.Paused:
		return show(status.Paused, "", "")
	case f.Failed != "":
		return show(status.Stalled, status.Failed, f.Failed)
	case f.Now.Before(f.NotBefore):
		return Decision{Action: Nothing, Shown: status.Moment{State: status.Pending, Reason: status.Retrying, Message: f.Passing}, Again: f.NotBefore}
	case spec.Edits == "":
		return show(status.AwaitingOwner, "", "")
	case f.Awaited != "":
		return show(status.AwaitingOwner, "", f.Awaited)
	case f.Plan.AtUntil:
		return show(status.Paused, "", "step "+string(spec.Until)+" of spec.until was taken: remove it, or name a later step, to continue")
	case f.Plan.TooLarge:
		return show(status.Stalled, status.PlanTooLarge, "the plan fits into no ConfigMap and cannot be approved: migrate this cluster with the command line")
	case f.Held != "":
		return Decision{Action: Nothing, Shown: status.Moment{State: status.AwaitingTurn, Message: f.Held}, Again: f.HeldUntil}
	case spec.ApprovedPlan == "":
		return show(status.AwaitingApproval, "", "")
	case spec.ApprovedPlan != f.Plan.Hash && f.Plan.Altered:
		return show(status.AwaitingApproval, status.PlanAltered, "the published text of the approved plan was changed, so that its approval does not count: find out who writes this ConfigMap, read the new text, then set spec.approvedPlan to status.plan.hash")
	case spec.ApprovedPlan != f.Plan.Hash:
		return show(status.AwaitingApproval, status.PlanMoved, "the plan is not the one that was approved: look at it, then set spec.approvedPlan to status.plan.hash")
	}
	if closed, is := checkWindows(m, f); is {
		return closed
	}
	switch {
	case f.RancherMoves != "":
		return retryLater(f, status.RancherNotAtRest, f.RancherMoves)
	case f.Full:
		return retryLater(f, status.NoSlot, "the maximum number of runs is active")
	case f.Locked != "":
		return retryLater(f, status.Locked, f.Locked+" holds the cluster")
	}
	return act(Run, runningState(m.Spec.Goal), "", "")
}

// checkWindows returns a decision if windows keep the next block from beginning. A block in progress
// is never interrupted.
func checkWindows(m *v1alpha1.ClusterMigration, f Facts) (Decision, bool) {
	if f.Plan.Begun {
		return Decision{}, false
	}
	set, err := parseWindows(m.Spec.Windows)
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

// parseWindows parses the windows of a spec. Its errors are those of window.Parse.
func parseWindows(specs []v1alpha1.Window) (window.Set, error) {
	var plain []window.Spec
	for _, spec := range specs {
		length, err := time.ParseDuration(spec.Duration)
		if err != nil {
			length = 0 // an invalid length, which Parse reports
		}
		plain = append(plain, window.Spec{Schedule: spec.Schedule, Duration: length, TimeZone: spec.TimeZone})
	}
	return window.Parse(plain)
}
