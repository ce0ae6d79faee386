package fleet

import (
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// Block is a group of steps that belong together. Once one of them has begun, the rest follow.
// After the last one a cluster can stay for weeks, without a cordon by awsmigrate.
type Block []v1alpha1.Step

// Blocks returns the blocks of a goal in order. With hand-off, days may pass between two edits.
// So no node is cordoned, and the cloud controller manager has its own block. It takes over in
// the block of the switch.
func Blocks(goal v1alpha1.Goal, edits v1alpha1.Edits) []Block {
	handoff := edits == v1alpha1.EditsHandoff
	switch {
	case goal == v1alpha1.GoalMigrate && handoff:
		return []Block{
			{"etcd-snapshot", "lease-access", "enable-leader-migration"}, {"install-ccm"},
			{"hand-over", "switch-provider", "uncordon", "verify"}, {"disable-leader-migration"},
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

// BlockOf returns the block of a step, or nil if the step only reads.
func BlockOf(blocks []Block, step v1alpha1.Step) Block {
	i := slices.IndexFunc(blocks, func(b Block) bool { return slices.Contains(b, step) })
	if i < 0 {
		return nil
	}
	return blocks[i]
}

// Planned times per step and per machine that restarts a component. They exceed the time of a
// machine that restarts without delay. A window must have twice the planned time.
const (
	timePerStep = time.Minute
	timePerRoll = 3 * time.Minute
)

// Takes returns the planned time of a step that restarts a component on rolls machines.
func Takes(rolls int) time.Duration { return timePerStep + time.Duration(rolls)*timePerRoll }
