package runview

import (
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

const (
	// minWaitInterval is the minimum time between two permanent lines of one wait.
	minWaitInterval = 5 * time.Second
	// maxWaitInterval is the time after which a line is repeated without a change.
	maxWaitInterval = 30 * time.Second
)

// shownWait is the last printed state of a wait.
type shownWait struct {
	target, seen string
	at           time.Time
}

// writeWait prints a wait. The line with the target and the timeout is printed once and then every 30 s. The
// line with the observation is printed after a change, at most every few seconds. A met wait prints nothing,
// because the step's line follows.
func (v *textView) writeWait(e runner.Event) {
	w := e.Waiting
	if w == nil || w.Met {
		return
	}
	fact := fmt.Sprintf("%d/%d %s", w.Done, w.Total, w.Seen)
	elapsed := e.Time.Sub(v.shown.at)
	repeat := v.shown.target != w.For || elapsed >= maxWaitInterval
	if !repeat && (v.shown.seen == fact || elapsed < minWaitInterval) {
		return
	}
	v.writeProgress(v.waitHead(e), w.Seen+" ("+view.WholeSeconds(e.Time.Sub(w.Since))+")")
	if repeat {
		v.writeProgress("   ", waitUntil(e.Time, w))
	}
	v.shown = shownWait{target: w.For, seen: fact, at: e.Time}
}

// waitHead returns the beginning of an observation's line: the step and its progress.
func (v *textView) waitHead(e runner.Event) string {
	if e.Step == "" {
		return "◐  "
	}
	head := "◐  " + v.step(e.Step) + "  "
	if w := e.Waiting; w.Total > 0 && !w.Counted {
		head += fmt.Sprintf("%d/%d  ", w.Done, w.Total)
	}
	return head
}

// waitUntil describes the awaited state, and the time at which the run gives up.
func waitUntil(now time.Time, w *runner.Wait) string {
	text := fmt.Sprintf("waiting for %s; moved %s ago", w.For, view.WholeSeconds(now.Sub(w.LastProgress)))
	if !w.Until.IsZero() {
		text += fmt.Sprintf("; stops after %s without movement", view.WholeSeconds(w.Until.Sub(w.LastProgress)))
	}
	return text
}
