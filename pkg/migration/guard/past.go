package guard

import (
	"context"
	"maps"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
)

// Past holds the facts of cluster and journal about the time before a process's first
// reading. A process that takes over a run therefore does not restart the clocks. Times are
// by the cluster's own clocks, and cover only the time for which a lease holder proves that
// an API server answered.
type Past struct {
	// LeaseStill is the time since the last renewal of the migration lease.
	LeaseStill time.Duration
	// NotReady is the time, by machine, for which the Node of a switched machine has not been
	// Ready.
	NotReady map[string]time.Duration
	// CCMRestarts holds the restart counts, by pod, that an earlier process saw after the
	// hand-over. It is nil if no process saw them, or if API servers were down since.
	CCMRestarts map[string]int32
}

// WithPast adds the facts about the time before the first reading. It adds none to an undo,
// which may have been started because a machine is down.
func (s Signals) WithPast(snap migration.Snapshot) (Signals, error) {
	witness, there := lease.WitnessOf(snap.Reading.Leases)
	if snap.Back || !there {
		return s, nil
	}
	s.Past = Past{LeaseStill: witness.For(snap.Reading.Leases.Migration.Last.Renew), NotReady: map[string]time.Duration{}}
	for _, m := range snap.Reading.Members {
		for _, name := range m.Nodes {
			if node := snap.Reading.Down.Node(name); node != nil {
				s.Past.NotReady[m.Name] = witness.For(node.Ready.Since)
			}
		}
	}
	var noted ccmRestartNote
	if known, err := snap.Record.NoteInto(handedOverNote, &noted); err != nil || !known || witness.From.After(noted.At) {
		return s, err
	}
	s.Past.CCMRestarts = noted.Restarts
	return s, nil
}

// handedOverNote is the journal's key for the restart counts of the CCM's pods at the last
// judgement after the hand-over.
const handedOverNote = "ccm-after-hand-over"

// ccmRestartNote is the value of handedOverNote.
type ccmRestartNote struct {
	At       time.Time        `json:"at"` // by the clock of a lease holder in the cluster
	Restarts map[string]int32 `json:"restarts"`
}

// KeepRestarts records the restart counts of the CCM's pods for the next process, if they
// have changed. It must follow a judgement without an error, since the next process takes the
// recorded restarts as accepted.
func (g *Guard) KeepRestarts(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	witness, there := lease.WitnessOf(snap.Reading.Leases)
	if !there || !g.handedOver || g.ccmRestarts == nil {
		return nil
	}
	var noted ccmRestartNote
	known, err := snap.Record.NoteInto(handedOverNote, &noted)
	if err != nil || known && maps.Equal(noted.Restarts, g.ccmRestarts) && !witness.From.After(noted.At) {
		return err
	}
	return tx.Note(ctx, handedOverNote, ccmRestartNote{At: witness.Now, Restarts: g.ccmRestarts})
}
