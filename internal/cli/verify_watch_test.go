package cli

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	testingclock "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/checklist"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// looks is a source that returns one reading after the other. It plays a changing cluster,
// without its details.
type looks struct {
	mu    sync.Mutex
	list  []func() (session.Reading, error)
	asked chan int
	n     int
}

func (l *looks) Read(context.Context) (session.Reading, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.list[min(l.n, len(l.list)-1)]
	l.n++
	defer func() { l.asked <- l.n }()
	return one()
}

func reading(status verify.Status) func() (session.Reading, error) {
	return func() (session.Reading, error) {
		meta := checklist.All()[0]
		own := verify.Bind(status, verify.Check[verify.Status]{Meta: verify.Meta{ID: meta.ID, Title: meta.Title, Category: meta.Category, Fix: "mend"},
			Judge: func(s verify.Status) []verify.Finding {
				return []verify.Finding{{Status: s, Object: "Node a", Seen: "seen " + string(s), Wanted: "better"}}
			}})
		at := position.Result{Position: position.P5, Summary: "external"}
		return session.Reading{Inspection: audit.Inspection{Own: own, Input: evidence.Input{Position: at}}, At: auditTime}, nil
	}
}

func away() (session.Reading, error) {
	return session.Reading{}, &fault.Error{Class: fault.CouldNotLook, Object: "API server", Seen: "could not be read"}
}

func TestWatchShowsWhatChanged(t *testing.T) {
	clk := testingclock.NewFakeClock(auditTime)
	interrupts := make(chan struct{})
	var out bytes.Buffer
	s := &looks{asked: make(chan int), list: []func() (session.Reading, error){reading(verify.OK), reading(verify.OK), away, away, reading(verify.Fail)}}
	a := &app.App{Streams: console.Streams{Out: &out}, Interrupts: interrupts}
	only := []string{checklist.All()[0].ID}
	v := &auditor{app: a, source: s, options: migration.Options{OnlyChecks: only}, clock: clk}
	ended := make(chan error, 1)
	go func() { ended <- v.watch(t.Context(), "short", 5*time.Second) }()
	for range s.list {
		<-s.asked
		for !clk.HasWaiters() {
		}
		clk.Step(5 * time.Second)
	}
	<-s.asked // the last one again
	close(interrupts)
	go func() {
		for range s.asked { // whatever look is still under way
		}
	}()
	err := <-ended
	if view.ExitCode(err) != 3 || !view.IsShown(err) {
		t.Errorf("ended with %v, exit %d; want the last report's 3", err, view.ExitCode(err))
	}
	text := out.String()
	for part, times := range map[string]int{
		"could not look: API server": 1, "can look again": 1, "✓ → ✗  " + only[0] + "  Node a: seen fail; wanted better\n": 1, "exit 3": 1,
	} {
		if got := strings.Count(text, part); got != times {
			t.Errorf("%q is told %d times, want %d:\n%s", part, got, times, text)
		}
	}
}

func TestWatchInterruptedBeforeAReport(t *testing.T) {
	interrupts := make(chan struct{})
	close(interrupts)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &looks{asked: make(chan int, 9), list: []func() (session.Reading, error){away}}
	v := &auditor{app: &app.App{Interrupts: interrupts}, source: s, clock: testingclock.NewFakeClock(auditTime)}
	if code := view.ExitCode(v.watch(ctx, "text", time.Second)); code != 130 {
		t.Errorf("exit %d, want 130", code)
	}
}
