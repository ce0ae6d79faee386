package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// watchSignals gives two stages: the first SIGINT or SIGTERM closes the
// returned channel, so that a run finishes the action in hand, records and
// releases its lock; the second cancels the context.
// A third is not caught any more and ends the process, whatever it waits for.
func watchSignals(parent context.Context) (context.Context, <-chan struct{}, func()) {
	ctx, cancel := context.WithCancel(parent)
	first := make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-signals:
			close(first)
		case <-ctx.Done():
			return
		}
		select {
		case <-signals:
			signal.Stop(signals)
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, first, func() {
		signal.Stop(signals)
		cancel()
	}
}
