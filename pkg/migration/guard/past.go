package guard

import (
	"context"
	"maps"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
)

// Past is what cluster and journal say of the time before the first reading of a process:
// one that takes over begins no clock anew. Each time is by the cluster's own clocks, and
// only as long as somebody there is seen to have had an API server.
type Past struct {
	// LeaseStill is for how long nobody has renewed the migration lease.
	LeaseStill time.Duration
	// NotReady is for how long the Nodes of switched machines have not been Ready, by
	// machine.
	NotReady map[string]time.Duration
	// CCMRestarts are those after a hand-over that a process before this one saw, by pod;
	// nil: none did, or API servers were away since.
	CCMRestarts map[string]int32
}

// WithPast adds what is known of the time before. Not on a way back, which may have begun
// because a machine is down.
func (s Signals) WithPast(seen migration.Snapshot) (Signals, error) {
	witness, there := lease.WitnessOf(seen.Reading.Leases)
	if seen.Back || !there {
		return s, nil
	}
	s.Past = Past{LeaseStill: witness.For(seen.Reading.Leases.Migration.Last.Renew), NotReady: map[string]time.Duration{}}
	for _, m := range seen.Reading.Members {
		for _, name := range m.Nodes {
			if node := seen.Reading.Down.Node(name); node != nil {
				s.Past.NotReady[m.Name] = witness.For(node.Ready.Since)
			}
		}
	}
	var kept handedOver
	if known, err := seen.Record.NoteInto(handedOverNote, &kept); err != nil || !known || witness.From.After(kept.At) {
		return s, err
	}
	s.Past.CCMRestarts = kept.Restarts
	return s, nil
}

// handedOverNote is the journal's key for how often the CCM's pods had restarted when a
// process last judged them after the hand-over.
const handedOverNote = "ccm-after-hand-over"

type handedOver struct {
	At       time.Time        `json:"at"` // by the clock of a holder in the cluster
	Restarts map[string]int32 `json:"restarts"`
}

// KeepRestarts notes for the next process how often the CCM's pods have restarted by now,
// wherever that is news. It follows a judgement: what it notes is no reason for a brake.
func (g *Guard) KeepRestarts(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	witness, there := lease.WitnessOf(seen.Reading.Leases)
	if !there || !g.handedOver || g.ccmRestarts == nil {
		return nil
	}
	var kept handedOver
	known, err := seen.Record.NoteInto(handedOverNote, &kept)
	if err != nil || known && maps.Equal(kept.Restarts, g.ccmRestarts) && !witness.From.After(kept.At) {
		return err
	}
	return tx.Note(ctx, handedOverNote, handedOver{At: witness.Now, Restarts: g.ccmRestarts})
}
