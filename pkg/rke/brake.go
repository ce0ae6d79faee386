package rke

import (
	"context"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// brakeGrace is how long the node in hand may take to come back before rke is
// interrupted all the same.
const brakeGrace = 3 * time.Minute

// Brake implements migration.Backend: rke is interrupted once the node in hand is
// back, so that no node is left cordoned and half restarted.
func (b *Backend) Brake(ctx context.Context, _ *runner.Tx, _ migration.Snapshot, again func(context.Context) (migration.Snapshot, error)) (string, error) {
	if b.child == nil || !b.child.Running() {
		return "rke is not running; nothing goes on by itself", nil
	}
	until := b.Access.Clock.Now().Add(brakeGrace)
	for b.child.Running() && b.Access.Clock.Now().Before(until) {
		if seen, err := again(ctx); err == nil && len(seen.Reading.NodesNotReady()) == 0 && len(cordonedByRKE(seen)) == 0 {
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
	return "rke was interrupted after the node in hand; hosts that it had not visited keep what they run", nil
}

// cordonedByRKE are the Nodes that neither we nor the user has cordoned.
func cordonedByRKE(seen migration.Snapshot) []string {
	var found []string
	for i := range seen.Reading.Down.Nodes {
		if node := &seen.Reading.Down.Nodes[i]; guard.CordonedElsewhere(seen, node) {
			found = append(found, node.Name)
		}
	}
	return found
}
