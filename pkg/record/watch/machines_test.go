package watch

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// answer is the answer of the source of machines.
type answer struct {
	all []record.Machine
	err error
}

// A machine is recorded when it is new or changed. A failing source is reported once, and asked
// again.
func TestMachines(t *testing.T) {
	a, b := record.Machine{Name: "a", Infrastructure: "i-a"}, record.Machine{Name: "b", Infrastructure: "i-b", Node: "n-b"}
	joined := a
	joined.Node = "n-a"
	answers := []answer{{err: errors.New("forbidden")}, {all: []record.Machine{a, b}}, {err: errors.New("forbidden")}, {all: []record.Machine{a, b}}, {all: []record.Machine{joined, b}}}
	asked := make(chan answer)
	clock := clocktesting.NewFakeClock(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC))
	sink, said := &memory{}, []string{}
	s := &session{began: clock.Now(), recorder: Recorder{Clock: clock, Sink: sink, Timeout: time.Minute, Say: func(line string) { said = append(said, line) },
		Machines: func(context.Context) ([]record.Machine, error) { next := <-asked; return next.all, next.err }}}
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { defer close(over); s.machines(ctx) }()
	for n, next := range answers {
		if n > 0 {
			clock.Step(machinesInterval)
		}
		asked <- next
	}
	clock.Step(machinesInterval)
	asked <- answer{} // a second request shows that the first answer was used
	stop()
	<-over
	var got []record.Machine
	for _, e := range sink.entries() {
		got = append(got, *e.Machine)
	}
	if diff := cmp.Diff([]record.Machine{a, b, joined}, got); diff != "" || len(said) != 1 {
		t.Errorf("said %q; want (-), got (+):\n%s", said, diff)
	}
}
