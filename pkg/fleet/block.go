package fleet

import (
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// Block is steps that belong together: once one of them has begun, the rest follow, and
// behind the last of them a cluster can stay for weeks, without a cordon of ours.
type Block []v1alpha1.Step

// Blocks are those of a goal, in their order. Where somebody else makes the edits, days
// pass between two of them: nothing is cordoned, and the cloud controller manager is a
// block of its own.
func Blocks(goal v1alpha1.Goal, edits v1alpha1.Edits) []Block {
	handoff := edits == v1alpha1.EditsHandoff
	switch {
	case goal == v1alpha1.GoalMigrate && handoff:
		return []Block{
			{"etcd-snapshot", "lease-access", "enable-leader-migration"}, {"install-ccm", "hand-over"},
			{"switch-provider", "uncordon", "verify"}, {"disable-leader-migration"},
		}
	case goal == v1alpha1.GoalMigrate:
		return []Block{
			{"etcd-snapshot", "lease-access", "enable-leader-migration"},
			{"cordon", "install-ccm", "hand-over", "switch-provider", "uncordon", "verify"}, {"disable-leader-migration"},
		}
	case goal == v1alpha1.GoalUndo && handoff:
		return []Block{
			{"undo-disable-leader-migration"}, {"undo-switch-provider", "uncordon"}, {"undo-install-ccm"},
			{"undo-enable-leader-migration", "undo-lease-access", "verify"},
		}
	case goal == v1alpha1.GoalUndo:
		return []Block{
			{"undo-disable-leader-migration"}, {"undo-switch-provider", "uncordon", "undo-install-ccm"},
			{"undo-enable-leader-migration", "undo-lease-access", "verify"},
		}
	}
	return nil
}

// BlockOf is the block of a step; nil: it belongs to none, and only reads.
func BlockOf(blocks []Block, step v1alpha1.Step) Block {
	i := slices.IndexFunc(blocks, func(b Block) bool { return slices.Contains(b, step) })
	if i < 0 {
		return nil
	}
	return blocks[i]
}

// What is planned for a step, and for each machine that it restarts something on: more
// than it takes on a machine that comes back at once. A window has to have twice as much.
const (
	perStep = time.Minute
	perRoll = 3 * time.Minute
)

// Takes is how long a step is planned to take that restarts something on so many machines.
func Takes(rolls int) time.Duration { return perStep + time.Duration(rolls)*perRoll }
