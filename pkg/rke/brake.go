package rke

import (
	"context"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// brakeGrace is how long the node in hand may take to come back before rke is
// interrupted all the same.
const brakeGrace = 3 * time.Minute

// Brake implements runner.Procedure: rke is interrupted once the node in hand is
// back, so that no node is left cordoned and half restarted.
func (p *Procedure) Brake(ctx context.Context, tx *runner.Tx, _ error) (string, error) {
	if p.child == nil || !p.child.Running() {
		return "rke is not running; nothing goes on by itself", nil
	}
	until := p.Clock.Now().Add(brakeGrace)
	for p.child.Running() && p.Clock.Now().Before(until) {
		if err := p.readWith(ctx, tx); err == nil && len(p.Reading.NodesNotReady()) == 0 && len(p.cordonedByRKE(tx.Record())) == 0 {
			break
		}
		if err := runner.Pause(ctx, p.Clock, time.Second); err != nil {
			break
		}
	}
	if !p.child.Running() {
		return "rke has ended", nil
	}
	p.child.Interrupt()
	<-p.child.Done()
	return "rke was interrupted after the node in hand; hosts that it had not visited keep what they run", nil
}

// cordonedByRKE are the Nodes that neither we nor the user has cordoned.
func (p *Procedure) cordonedByRKE(record runner.Record) []string {
	var found []string
	for i := range p.Reading.Down.Nodes {
		if node := &p.Reading.Down.Nodes[i]; p.CordonedElsewhere(record, node) {
			found = append(found, node.Name)
		}
	}
	return found
}
