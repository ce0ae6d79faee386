package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// watch looks again and again until it is interrupted, and ends with what the
// last report came to. A reading that fails is told and tried again: API servers
// go away while machines are rolled.
func (v *auditor) watch(ctx context.Context, view string, every time.Duration) error {
	if view != "text" && view != "wide" && view != "short" {
		return usage(fmt.Errorf("flag --watch: with -o %s, wanted -o text, wide or short", view))
	}
	ticker := v.clock.NewTicker(every)
	defer ticker.Stop()
	looking, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // Ctrl-C ends a look, too: nothing of it is half done
		select {
		case <-v.app.interrupts:
			stop()
		case <-looking.Done():
		}
	}()
	w := watcher{screen: newScreen(v.app.streams, v.app.streams.Out)}
	for {
		doc, err := v.look(looking)
		switch {
		case looking.Err() != nil:
			return w.end()
		case err != nil && (w.last == nil || fault.ClassOf(err) != fault.CouldNotLook):
			return err
		case err != nil:
			w.missed(v.clock.Now(), err)
		case w.last == nil:
			if err := writeAudit(v.app.streams, view, doc); err != nil {
				return err
			}
			w.last = &doc
		default:
			w.compare(v.clock.Now(), doc)
		}
		select {
		case <-looking.Done():
			return w.end()
		case <-ticker.C():
		}
	}
}

// watcher tells what changed from one look to the next.
type watcher struct {
	screen screen
	last   *auditDocument // the last report; nil: none yet
	failed error          // the looks since then failed so
}

func (w *watcher) tell(at time.Time, line string) {
	w.screen.prose(at.UTC().Format(time.TimeOnly)+"  ", line)
}

// missed is a look that could not be had, told once for the same reason.
func (w *watcher) missed(at time.Time, err error) {
	if w.failed == nil || w.failed.Error() != err.Error() {
		w.tell(at, "could not look: "+err.Error())
	}
	w.failed = err
}

func (w *watcher) compare(at time.Time, doc auditDocument) {
	if w.failed != nil {
		w.tell(at, "can look again")
	}
	for _, line := range changed(*w.last, doc) {
		w.tell(at, line)
	}
	w.last, w.failed = &doc, nil
}

// end is the error of the last look.
func (w *watcher) end() error {
	if w.last == nil {
		return &fault.Error{Class: fault.Interrupted, Reason: "Interrupted", Seen: "interrupted before the first report"}
	}
	err := w.last.err
	if w.failed != nil {
		err = w.failed
	}
	w.screen.line("%s   exit %d", auditCounts(*w.last), ExitCode(err))
	return shown(err)
}

// changed are the results that differ between two reports, and the position.
func changed(before, after auditDocument) []string {
	var lines []string
	if before.Position != after.Position || before.Summary != after.Summary {
		lines = append(lines, fmt.Sprintf("position %s → %s %s", before.Position, after.Position, after.Summary))
	}
	then := map[string]verify.Result{}
	for _, result := range before.Results {
		then[result.ID] = result
	}
	for _, result := range after.Results {
		was, known := then[result.ID]
		if known && was.Status == result.Status && firstFinding(was) == firstFinding(result) || after.Elsewhere(result) && before.Elsewhere(was) {
			continue
		}
		status := migration.OrElse(string(was.Status), "new")
		lines = append(lines, fmt.Sprintf("%s → %s  %s", auditMarks[was.Status], shortLine(result, ""), status+" before"))
	}
	return lines
}

func firstFinding(result verify.Result) verify.Finding {
	for _, finding := range telling(result) {
		if finding.Status != verify.OK {
			return finding
		}
	}
	return verify.Finding{}
}
