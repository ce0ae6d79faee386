package aws

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// silence is how long AWS may be waited for without a word.
const silence = 5 * time.Second

// waits are the services that were asked and have not answered, each with the time
// until which it is waited for.
type waits struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// begin says that a service was asked; the function it returns, that it answered.
func (w *waits) begin(service string, until time.Time) (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.until == nil {
		w.until = map[string]time.Time{}
	}
	w.until[service] = until
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.until, service)
	}
}

// line says what is waited for, and until when; "" for nothing.
func (w *waits) line() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	services := slices.Sorted(maps.Keys(w.until))
	if len(services) == 0 {
		return ""
	}
	for i, s := range services {
		services[i] = s + " until " + w.until[s].Format(time.TimeOnly)
	}
	return "waiting for AWS to answer: " + strings.Join(services, ", ") + "; without an answer what needs it is unknown"
}

// watch says after 5 seconds what is waited for, and again when that has become
// something else, until the function it returns is called.
func (w *waits) watch(ctx context.Context, o Options) (stop func()) {
	if o.OnWait == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ticker := orReal(o.Clock).NewTicker(silence)
	var group sync.WaitGroup
	group.Go(func() {
		defer ticker.Stop()
		said := ""
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C():
			}
			if line := w.line(); line != "" && line != said && ctx.Err() == nil {
				o.OnWait(line)
				said = line
			}
		}
	})
	return func() { cancel(); group.Wait() }
}

func orReal(c clock.WithTicker) clock.WithTicker {
	return cmp.Or[clock.WithTicker](c, clock.RealClock{})
}
