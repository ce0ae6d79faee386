package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// watch looks again and again until it is interrupted, and ends with what the
// last report came to. A reading that fails is shown and tried again: API servers
// go away while machines are rolled.
func (v *auditor) watch(ctx context.Context, format string, every time.Duration) error {
	if format != "text" && format != "wide" && format != "short" {
		return fault.AsUsage(fmt.Errorf("flag --watch: with -o %s, wanted -o text, wide or short", format))
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
	w := view.NewWatch(v.app.streams, format)
	for {
		doc, err := v.look(looking)
		switch {
		case looking.Err() != nil:
			return w.End()
		case err != nil && (!w.Began() || fault.ClassOf(err) != fault.CouldNotLook):
			return err
		case err != nil:
			w.Missed(v.clock.Now(), err)
		default:
			if err := w.Report(v.clock.Now(), doc); err != nil {
				return err
			}
		}
		select {
		case <-looking.Done():
			return w.End()
		case <-ticker.C():
		}
	}
}
