package runner

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Roller is who carries out what a step waits for.
type Roller struct {
	Name string // "Rancher", "rke"; empty: nobody but the step itself
	// Of is what it changes one after the other; empty: machines.
	Of string
	// Alone: it goes on whether or not a run watches. One that does not is a child
	// of the run, and ends with it.
	Alone bool
	// Brakes: the brake keeps it from going on.
	Brakes bool
}

// pauses completes "the run watches": whether it can pause the rollout.
func (by Roller) pauses() string {
	if by.Brakes {
		return " and pauses the rollout if a machine goes wrong"
	}
	return ", but cannot pause the rollout"
}

// Left is a roll that a run has begun, or taken up, and not seen to its end.
type Left struct {
	Step    journal.StepID `json:"step"`
	By      string         `json:"by"`           // who carries it out: "Rancher", "Kubernetes", "rke"
	GoesOn  bool           `json:"goesOn"`       // it goes on with the rest by itself: nobody watches, and nobody brakes
	CutOff  bool           `json:"cutOff"`       // it was ended in the middle of its work
	Of      string         `json:"of,omitempty"` // what is counted; left out: machines
	Changed int            `json:"changed"`      // those that had the change when they were last seen
	Total   int            `json:"total"`        // those that get it
	Brakes  bool           `json:"-"`            // the brake would keep it from the rest
	Held    bool           `json:"-"`            // the brake does
}

// leftBy is what a step that ended with an error leaves; nil: nothing that somebody
// else carries out. graceful says that a child was let finish.
func (w *watch[S]) leftBy(ctx context.Context, tx *Tx, graceful bool) *Left {
	by := w.last.By
	if by.Name == "" || !tx.holds() {
		return nil
	}
	return &Left{Step: w.info.ID, By: by.Name, Of: by.Of, Changed: w.last.Done, Total: w.last.Total,
		GoesOn: by.Alone && !w.r.held, Brakes: by.Brakes && !w.r.held, Held: w.r.held, CutOff: !by.Alone && (!graceful || ctx.Err() != nil)}
}
