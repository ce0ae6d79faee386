package runner

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Roller describes the program that carries out what a step waits for.
type Roller struct {
	Name string // "Rancher", "rke"; empty if only the step itself acts
	// Of names what it changes one after the other; empty means machines.
	Of string
	// Alone reports whether it continues without a run. Otherwise it is a child of the run and
	// ends with it.
	Alone bool
	// CanPause reports whether awsmigrate can pause it.
	CanPause bool
}

// pauses completes "the run watches" with whether the run can pause the rollout.
func (by Roller) pauses() string {
	if by.CanPause {
		return " and pauses the rollout if a machine goes wrong"
	}
	return ", but cannot pause the rollout"
}

// Left describes a rollout that a run has started, or continued, and not seen completed.
type Left struct {
	Step     journal.StepID `json:"step"`
	By       string         `json:"by"`           // the program that carries it out: "Rancher", "Kubernetes", "rke"
	GoesOn   bool           `json:"goesOn"`       // it continues without a run: unwatched and unpaused
	CutOff   bool           `json:"cutOff"`       // it was ended in the middle of its work
	Of       string         `json:"of,omitempty"` // the counted objects; empty means machines
	Changed  int            `json:"changed"`      // those with the change, when last observed
	Total    int            `json:"total"`        // those that get the change
	CanPause bool           `json:"-"`            // awsmigrate could pause it
	Held     bool           `json:"-"`            // awsmigrate has paused it
}

// leftBy returns the rollout that a failed step leaves behind, or nil. graceful reports whether a
// child process was allowed to finish.
func (w *watch[S]) leftBy(ctx context.Context, tx *Tx, graceful bool) *Left {
	by := w.last.By
	if by.Name == "" || !tx.hasBegun() {
		return nil
	}
	return &Left{Step: w.info.ID, By: by.Name, Of: by.Of, Changed: w.last.Done, Total: w.last.Total,
		GoesOn: by.Alone && !w.r.held, CanPause: by.CanPause && !w.r.held, Held: w.r.held, CutOff: !by.Alone && (!graceful || ctx.Err() != nil)}
}
