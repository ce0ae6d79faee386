package runner

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// resumed is a script whose step two was begun by a dead run and is carried out by others.
type resumed struct {
	*watched
	by        Roller
	overtaken bool
	refusal   error
}

// Precheck implements Procedure.
func (p *resumed) Precheck(context.Context, Observation, Observation) error { return p.refusal }

func (p *resumed) Leftover(context.Context, Observation) *Leftover[Observation] {
	if !p.rolling {
		return nil
	}
	return &Leftover[Observation]{Step: p.step("two").Info(), By: p.by, Watch: p.watched, Overtaken: p.overtaken}
}

// resume is a bench with such a script; it records what the person who is asked finds.
func resume(t *testing.T, answer error, verdicts ...Verdict) (b *bench, p *resumed, asked *[]int) {
	t.Helper()
	b, w := leftRolling(t, verdicts...)
	p = &resumed{watched: w, by: Roller{Name: "Rancher", Alone: true, CanPause: true}}
	p.pause = func(context.Context, *Tx, error) (string, error) { return "paused it", nil }
	asked = &[]int{}
	b.o.Approve = func(context.Context, Proposal) error {
		*asked = append(*asked, p.readings)
		return answer
	}
	return b, p, asked
}

var (
	rolls = Verdict{Kind: Waiting, WaitingFor: "machines", Seen: "1/3", By: Roller{Name: "Rancher", Alone: true}}
	ended = Verdict{Kind: Met, Stable: 1}
	bad   = Verdict{Kind: MustPause, Err: &fault.Error{Class: fault.Check, Reason: "NodeRenamed"}}
)

// warned returns the first warning, which precedes all watching.
func (b *bench) warned() string {
	for _, e := range b.events.of(StepWarning) {
		return e.Message
	}
	return ""
}

func TestRun_leftoverRolls_watchesBeforeTheQuestion(t *testing.T) {
	b, p, asked := resume(t, nil, rolls, rolls, ended)
	if _, err := Run[Observation](t.Context(), p, b.o); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(*asked, []int{3}) || !strings.Contains(b.warned(), "Rancher is rolling out step two now") || len(b.events.of(RunStarted)) != 1 || len(b.events.of(RunFinished)) != 1 {
		t.Errorf("asked behind readings %v, warned %q", *asked, b.warned())
	}
	st := b.kept()
	if n := len(st.Runs); n != 3 || !st.Runs[1].Guard || st.Runs[1].Outcome != "guarded" || st.Runs[2].Outcome != "done" || b.lock.Holder() != nil {
		t.Errorf("%+v", st.Runs)
	}
}

func TestRun_leftoverGoesWrong_pausesAndNeverAsks(t *testing.T) {
	b, p, asked := resume(t, nil, rolls, bad)
	_, err := Run[Observation](t.Context(), p, b.o)
	if f, _ := fault.As(err); f == nil || f.Reason != "NodeRenamed" || len(*asked) != 0 || len(b.events.of(RolloutPaused)) != 1 || b.kept().Pause.Done != "paused it" {
		t.Errorf("%v, asked %v", err, *asked)
	}
}

// If the approval was given before, or the run would begin with that step, the leftover needs no
// separate watch.
func TestRun_leftoverWithoutAQuestion_isTakenUpAtOnce(t *testing.T) {
	b, p, _ := resume(t, nil, rolls)
	b.o.Unattended = true
	p.rolling = true
	p.observe = func(seen Observation) (Observation, error) {
		seen.States["two"] = State{Kind: InProgress}
		return seen, nil
	}
	stop := make(chan struct{})
	b.o.Interrupt = stop
	b.o.Sink = SinkFunc(func(e Event) {
		if e.Type == StepStarted {
			close(stop)
		}
	})
	_, err := Run[Observation](t.Context(), p, b.o)
	if st := b.kept(); fault.ClassOf(err) != fault.Interrupted || p.readings != 0 || st.Runs[len(st.Runs)-1].Guard {
		t.Errorf("%v, %d readings, %+v", err, p.readings, st.Runs)
	}
}

// A refused run still watches the leftover. The refusal is shown at once and again at the end.
func TestRun_leftoverAndRefused_watches(t *testing.T) {
	refusal := &fault.Error{Class: fault.Check, Reason: "OwnerNotInformed", Object: "it", Seen: "is kept by others"}
	for name, unattended := range map[string]bool{"with a yes": true, "asked": false} {
		b, p, asked := resume(t, nil, rolls, ended)
		b.o.Unattended, p.overtaken = unattended, true
		p.refusal = refusal
		_, err := Run[Observation](t.Context(), p, b.o)
		warnings := b.events.of(StepWarning)
		if !errors.Is(err, refusal) || p.readings != 2 || len(*asked) != 0 || len(warnings) == 0 || !strings.Contains(strings.Join(warnings[0].Lines, ""), "is kept by others") {
			t.Errorf("%s: %v after %d readings, asked %v, warnings %+v", name, err, p.readings, *asked, warnings)
		}
	}
}

// An undo asks at once, and watches meanwhile.
func TestRun_leftoverIsOvertaken_watchesWhileItAsks(t *testing.T) {
	b, p, _ := resume(t, nil, rolls, bad)
	p.overtaken = true
	paused := make(chan struct{})
	b.o.Sink = SinkFunc(func(e Event) {
		if e.Type == RolloutPaused {
			close(paused)
		}
	})
	b.o.Approve = func(ctx context.Context, _ Proposal) error {
		select {
		case <-paused:
		case <-time.After(30 * time.Second): // a watch after the answer would pause, too
			t.Error("no pause while the question is open")
		case <-ctx.Done():
		}
		return &fault.Error{Class: fault.Declined, Reason: "Declined"}
	}
	_, err := Run[Observation](t.Context(), p, b.o)
	if f, _ := fault.As(err); f == nil || f.Reason != "NodeRenamed" || b.kept().Pause.Done != "paused it" {
		t.Errorf("%v", err)
	}
}

func TestRun_leftoverWithoutAPause_saysSo(t *testing.T) {
	for canPause, want := range map[bool]string{true: "and pauses the rollout if", false: "but cannot pause the rollout"} {
		b, p, _ := resume(t, nil, rolls, ended)
		p.by = Roller{Name: "Rancher", Alone: true, CanPause: canPause}
		if _, err := Run[Observation](t.Context(), p, b.o); err != nil || !strings.Contains(b.warned(), want) {
			t.Errorf("%v, warned %q", err, b.warned())
		}
	}
}

// The child of a dead run cannot be watched: the question comes first, after a warning.
func TestRun_leftoverOfAChild_asksFirst(t *testing.T) {
	b, p, asked := resume(t, &fault.Error{Class: fault.Declined}, rolls)
	p.by = Roller{Name: "rke"}
	_, err := Run[Observation](t.Context(), p, b.o)
	if fault.ClassOf(err) != fault.Declined || !slices.Equal(*asked, []int{0}) || !strings.Contains(b.warned(), "no other run can pause it") {
		t.Errorf("%v, asked %v, warned %q", err, *asked, b.warned())
	}
}
