package runner

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// A run that leaves a rollout to others reports who continues it and how much is done. A paused
// or completed rollout is not left.
func TestRun_rollingStepEnds_reportsLeft(t *testing.T) {
	rolling := func(by Roller) Verdict {
		return Verdict{Kind: Waiting, WaitingFor: "every machine", Seen: "1/6", Done: 1, Total: 6, By: by}
	}
	alone := Roller{Name: "Rancher", Alone: true}
	for name, tt := range map[string]struct {
		by   Roller
		bend func(b *bench, stop func()) func() (Verdict, error) // nil after its first reading
		want *Left
	}{
		"an interrupt": {alone, func(_ *bench, stop func()) func() (Verdict, error) {
			return func() (Verdict, error) { stop(); return rolling(alone), nil }
		}, &Left{Step: "two", By: "Rancher", GoesOn: true, Changed: 1, Total: 6}},
		"an interrupt before the first reading": {alone, func(b *bench, stop func()) func() (Verdict, error) {
			b.w.hook = func(point string) {
				if point == "after two/1" {
					stop()
				}
			}
			return func() (Verdict, error) { return rolling(alone), nil }
		}, &Left{Step: "two", By: "Rancher", GoesOn: true, Changed: 1, Total: 6}},
		"the deadline": {alone, func(b *bench, _ func()) func() (Verdict, error) {
			b.o.Deadline = time.Minute
			return func() (Verdict, error) { return rolling(alone), nil }
		}, &Left{Step: "two", By: "Rancher", GoesOn: true, Changed: 1, Total: 6}},
		"nothing moves": {alone, func(*bench, func()) func() (Verdict, error) {
			return func() (Verdict, error) { return rolling(alone), nil }
		}, &Left{Step: "two", By: "Rancher", GoesOn: true, Changed: 1, Total: 6}},
		"the lock is lost": {alone, func(*bench, func()) func() (Verdict, error) {
			return func() (Verdict, error) {
				return Verdict{}, &fault.Error{Class: fault.Locked, Reason: "LockLost", Object: "Lease a/b"}
			}
		}, &Left{Step: "two", By: "Rancher", GoesOn: true, Changed: 1, Total: 6}},
		"a failure without a pause": {alone, func(*bench, func()) func() (Verdict, error) {
			return func() (Verdict, error) { return Verdict{Kind: Failed, Err: errors.New("exits with code 1")}, nil }
		}, &Left{Step: "two", By: "Rancher", GoesOn: true, Changed: 1, Total: 6}},
		"a failure at rest": {alone, func(*bench, func()) func() (Verdict, error) {
			return func() (Verdict, error) {
				return Verdict{Kind: Failed, AtRest: true, Err: errors.New("another change than the one announced")}, nil
			}
		}, nil},
		"a pause": {alone, func(*bench, func()) func() (Verdict, error) {
			return func() (Verdict, error) { return Verdict{Kind: MustPause, Err: errors.New("a rename")}, nil }
		}, &Left{Step: "two", By: "Rancher", Changed: 1, Total: 6, Held: true}},
		"a failed pause": {alone, func(b *bench, _ func()) func() (Verdict, error) {
			b.p.pause = func(context.Context, *Tx, error) (string, error) { return "", errors.New("refused") }
			return func() (Verdict, error) { return Verdict{Kind: MustPause, Err: errors.New("a rename")}, nil }
		}, &Left{Step: "two", By: "Rancher", GoesOn: true, Changed: 1, Total: 6}},
		"a child that is let finish": {Roller{Name: "rke"}, func(_ *bench, stop func()) func() (Verdict, error) {
			return func() (Verdict, error) { stop(); return rolling(Roller{Name: "rke"}), nil }
		}, &Left{Step: "two", By: "rke", Changed: 1, Total: 6}},
		"a child at the deadline": {Roller{Name: "rke"}, func(b *bench, _ func()) func() (Verdict, error) {
			b.o.Deadline = time.Minute
			return func() (Verdict, error) { return rolling(Roller{Name: "rke"}), nil }
		}, &Left{Step: "two", By: "rke", CutOff: true, Changed: 1, Total: 6}},
		"seen to its end": {alone, func(b *bench, _ func()) func() (Verdict, error) {
			return func() (Verdict, error) { b.w.settled["two"] = 9; return Verdict{Kind: Met}, nil }
		}, nil},
	} {
		b := newBench(t, migration(newWorld()))
		ch := make(chan struct{})
		b.o.Interrupt, b.o.Until = ch, "two"
		stopped := false
		stop := func() {
			if !stopped {
				close(ch)
			}
			stopped = true
		}
		later := tt.bend(b, stop)
		reads := 0
		two := &finishing{scripted: b.p.step("two")}
		two.verify = func(context.Context, *Tx) (Verdict, error) {
			if reads++; reads == 1 {
				return rolling(tt.by), nil
			}
			return later()
		}
		res, err := Run[Observation](t.Context(), withFinisher{b.p, two}, b.o)
		if (err == nil) != (name == "seen to its end") || fmt.Sprintf("%+v", res.Left) != fmt.Sprintf("%+v", tt.want) {
			t.Errorf("%s: left %+v, %v; want %+v", name, res.Left, err, tt.want)
		}
		for _, e := range append(b.events.of(StepFailed), b.events.of(RunFinished)...) {
			if fmt.Sprintf("%+v", e.Left) != fmt.Sprintf("%+v", tt.want) {
				t.Errorf("%s: event %s has left %+v", name, e.Type, e.Left)
			}
		}
	}
}
