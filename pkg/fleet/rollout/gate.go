package rollout

import (
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// Hold says why a rollout keeps a cluster from its next block of steps. The zero Hold keeps
// nothing.
type Hold struct {
	Why   string
	Again time.Time // when the answer changes without an event, or zero
}

// Gate returns the hold of a rollout over a ClusterMigration. r is the rollout that its mark
// names, or nil if that does not exist. A goal that a person changed is no business of a rollout,
// so an undo in an emergency is never held.
func Gate(r *v1alpha1.MigrationRollout, m *v1alpha1.ClusterMigration, now time.Time) Hold {
	mark := MarkOf(m)
	if r == nil || mark.UID != r.UID || !r.DeletionTimestamp.IsZero() || m.Spec.Goal.OrDefault() != mark.Goal {
		return Hold{}
	}
	switch {
	case r.Spec.Paused:
		return Hold{Why: fmt.Sprintf("rollout %s is paused", r.Name)}
	case mark.Goal != GoalOf(r):
		return Hold{Why: fmt.Sprintf("rollout %s has goal %s now, and is about to set it here", r.Name, GoalOf(r))}
	case mark.Began.IsZero():
		return Hold{Why: fmt.Sprintf("waits for its turn in rollout %s", r.Name)}
	case !now.Before(mark.Deadline):
		return Hold{Why: late(r, m)}
	}
	return Hold{Again: mark.Deadline}
}

// late says that the deadline of a cluster has passed, and how it goes on. A retry refuses one that
// withdrew.
func late(r *v1alpha1.MigrationRollout, m *v1alpha1.ClusterMigration) string {
	if seen := Seen(m, nil); seen.turnedBack() {
		return fmt.Sprintf("its plan changed, and its deadline in rollout %s has passed: look at the plan, then approve the rollout again: %s", r.Name, command(r, "approve"))
	}
	return fmt.Sprintf("its deadline in rollout %s has passed: find out why, then try again: %s", r.Name, command(r, "retry"))
}
