package rke

import (
	"context"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// nodeReadyTimeout is the maximum time to wait for the current node before rke is
// interrupted in any case.
const nodeReadyTimeout = 3 * time.Minute

// PauseRollout implements migration.Backend.
// It interrupts rke once the current node is ready, so that no node stays cordoned and half
// restarted.
func (b *Backend) PauseRollout(ctx context.Context, _ *runner.Tx, _ migration.Snapshot, observe func(context.Context) (migration.Snapshot, error)) (string, error) {
	if b.child == nil || !b.child.Running() {
		return "rke is not running; no rollout continues", nil
	}
	until := b.Access.Clock.Now().Add(nodeReadyTimeout)
	for b.child.Running() && b.Access.Clock.Now().Before(until) {
		if snap, err := observe(ctx); err == nil && len(snap.Reading.NodesNotReady()) == 0 && len(cordonedByRKE(snap)) == 0 {
			break
		}
		if err := retry.Pause(ctx, b.Access.Clock, time.Second); err != nil {
			break
		}
	}
	if !b.child.Running() {
		return "rke has ended", nil
	}
	b.child.Interrupt()
	<-b.child.Done()
	return "rke was interrupted after the current node; hosts that it had not visited keep what they run", nil
}

// cordonedByRKE returns the Nodes that neither awsmigrate nor the user cordoned.
func cordonedByRKE(snap migration.Snapshot) []string {
	var found []string
	for i := range snap.Reading.Down.Nodes {
		if node := &snap.Reading.Down.Nodes[i]; guard.CordonedElsewhere(snap, node) {
			found = append(found, node.Name)
		}
	}
	return found
}
