package rollout

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// Standing is the state of a member for its rollout.
type Standing string

// The standings.
const (
	// Looking is a member whose state is not known yet.
	Looking Standing = "Looking"
	// Waiting waits for its turn.
	Waiting Standing = "Waiting"
	// Active has begun.
	Active Standing = "Active"
	// Done has reached the goal, and its last audit passed.
	Done Standing = "Done"
	// Failed has begun and needs a person.
	Failed Standing = "Failed"
	// Withdrawn is left alone by the rollout.
	Withdrawn Standing = "Withdrawn"
)

// Placed is an entry with its standing.
type Placed struct {
	Entry
	Standing Standing
	Why      string
	Begun    bool
	// Moved reports whether it withdrew because its plan is not the approved one.
	Moved bool
}

// working reports whether the cluster counts against the limits.
func (p Placed) working() bool {
	return p.Standing == Active || p.Begun && p.Standing == Looking || p.Now != nil && p.Now.Working
}

// place returns the standing of an entry. others are the rollouts of the namespace by UID.
func place(r *v1alpha1.MigrationRollout, others map[types.UID]string, e Entry, now time.Time) Placed {
	p := Placed{Entry: e}
	if e.Now == nil {
		p.Standing, p.Why = Withdrawn, "its ClusterMigration is gone"
		return p
	}
	p.Begun = e.Now.Mark.begun(r) && !e.Now.turnedBack()
	if why := leftAlone(r, others, e.Now); why != "" {
		p.Standing, p.Why = Withdrawn, why
		if p.Begun { // otherwise a repair by hand would let the wave continue
			p.Standing = Failed
		}
		return p
	}
	p.Standing, p.Why = standing(r, e, p.Begun, now)
	p.Moved = p.Standing == Withdrawn && !e.Now.Reached
	return p
}

// leftAlone says why a rollout leaves a member alone, or returns "". It sets the goal and the
// approval of a member only where no person has done so.
func leftAlone(r *v1alpha1.MigrationRollout, others map[types.UID]string, m *Member) string {
	mark, goal := m.Mark, m.Goal.OrDefault()
	name, exists := others[mark.UID]
	switch {
	case exists && mark.UID != r.UID:
		return "it belongs to rollout " + name
	case mark.UID != "" && mark.Goal != goal:
		return fmt.Sprintf("a person set goal %s; without the annotation %s it can be a member again", goal, Annotation)
	case mark.UID != "" || goal == v1alpha1.GoalAudit:
		return ""
	case goal != GoalOf(r):
		return fmt.Sprintf("a person set goal %s", goal)
	case m.Approved != "" && !m.Reached:
		return "a person approved its plan"
	}
	return ""
}

// turnedBack reports whether the plan of a member changed after the start of its turn and before its
// first run, for example while it waited for a window. Nothing was done to it, so that its turn can
// begin again after an approval. One that failed is not turned back by a retry: its wave would go on
// without it.
func (m *Member) turnedBack() bool {
	return m.Seen && !m.Working && m.Ran.Before(m.Mark.Began) && !m.Mark.Retried && m.State != status.Stalled && m.Plan != "" && m.Plan != m.Approved
}

// planMoved reports whether a member has another plan than the approved one. One that does not
// answer has none for now; at its turn it begins, and fails at its deadline.
func planMoved(m *Member, approved string) bool {
	unknown := m.Plan == "" && m.State != status.Stalled
	return m.Plan != approved && !unknown
}

// standing returns the standing of a member that the rollout may write to.
func standing(r *v1alpha1.MigrationRollout, e Entry, begun bool, now time.Time) (Standing, string) {
	switch m := e.Now; {
	case m.Goal.OrDefault() != GoalOf(r):
		return Looking, "its goal is about to be set"
	case !m.Seen, m.Reached && m.State == status.Auditing:
		return Looking, "it is being looked at"
	case m.State == status.Succeeded:
		return Done, ""
	case m.Reached && begun:
		return Failed, "it reached the goal, and " + m.Message
	case m.Reached:
		return Withdrawn, "it was at the goal before its turn, and " + m.Message
	case !begun && InForce(r) && planMoved(m, e.Member.Plan):
		return Withdrawn, "its plan is not the one that was approved: approve the rollout again to include it"
	case !begun:
		return Waiting, m.Message
	case m.State == status.Stalled:
		return Failed, m.Message
	case m.State == status.AwaitingApproval && m.Plan != e.Member.Plan:
		return Failed, "its plan changed after its first run: look at it, then approve the rollout again"
	case !now.Before(m.Mark.Deadline):
		return Failed, "it did not reach the goal by its deadline, " + m.Mark.Deadline.UTC().Format(time.RFC3339) + ": " + m.Message
	}
	return Active, e.Now.Message
}
