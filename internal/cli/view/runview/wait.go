package runview

import (
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

const (
	// quietFor is the least time between two lines of one wait, where lines stay.
	quietFor = 5 * time.Second
	// speakUp is the most.
	speakUp = 30 * time.Second
)

// shownWait is what a reader last saw of a wait.
type shownWait struct {
	what, seen string
	at         time.Time
}

// waiting shows a wait. The line that says what is waited for, and until when, comes once
// and then every 30 s; the one that says what is seen when that changed, at most every few
// seconds. That it is there is said by the line of the step.
func (v *textView) waiting(e runner.Event) {
	w := e.Waiting
	if w == nil || w.Met {
		return
	}
	fact := fmt.Sprintf("%d/%d %s", w.Done, w.Total, w.Seen)
	silence := e.Time.Sub(v.shown.at)
	repeat := v.shown.what != w.For || silence >= speakUp
	if !repeat && (v.shown.seen == fact || silence < quietFor) {
		return
	}
	v.passing(v.waitHead(e), w.Seen+" ("+view.WholeSeconds(e.Time.Sub(w.Since))+")")
	if repeat {
		v.passing("   ", waitUntil(e.Time, w))
	}
	v.shown = shownWait{what: w.For, seen: fact, at: e.Time}
}

// waitHead begins the line of what is seen: the step and how far it is.
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

// waitUntil is what is waited for, and when patience ends.
func waitUntil(now time.Time, w *runner.Wait) string {
	text := fmt.Sprintf("waiting for %s; moved %s ago", w.For, view.WholeSeconds(now.Sub(w.LastProgress)))
	if !w.Until.IsZero() {
		text += fmt.Sprintf("; stops after %s without movement", view.WholeSeconds(w.Until.Sub(w.LastProgress)))
	}
	return text
}
