package runner

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// waiting returns a bench with one step whose verdicts come from f; i counts from 0.
func waiting(t *testing.T, f func(i int, now time.Time) (Verdict, error)) *bench {
	w := newWorld()
	s := step("one")
	s.settle = 0
	p := newScript(w, s)
	b := newBench(t, p)
	i := -1
	s.verify = func(context.Context, *Tx) (Verdict, error) { i++; return f(i, b.clock.Now()) }
	return b
}

func TestRun_stable_countsConsecutiveReads(t *testing.T) {
	// M met, w waiting, e transient error
	for _, c := range []struct {
		script string
		stable int
		added  time.Duration
	}{
		{"MMM", 0, 2 * time.Second},
		{"wMMwMMM", 0, 2 * time.Second},
		{"MMeMMM", 0, 2 * time.Second},
		{"M", 1, 0},
		{"MwMMMMM", 5, 4 * time.Second},
	} {
		t.Run(c.script, func(t *testing.T) {
			readings := 0
			b := waiting(t, func(i int, _ time.Time) (Verdict, error) {
				readings++
				if i >= len(c.script) {
					t.Fatalf("read more than %d times", len(c.script))
				}
				switch c.script[i] {
				case 'M':
					return Verdict{Kind: Met, Stable: c.stable}, nil
				case 'w':
					return Verdict{Kind: Waiting, WaitingFor: "x", Seen: "y"}, nil
				}
				return Verdict{}, faulty.Refused()
			})
			res, err := b.run()
			if err != nil {
				t.Fatal(err)
			}
			if readings != len(c.script) || res.Added != c.added {
				t.Errorf("%d readings, added %s; want %d, %s", readings, res.Added, len(c.script), c.added)
			}
		})
	}
}

// A verdict with Steady counts after Progress was unchanged for long enough since the first such
// verdict. A verdict without Steady resets the time; a Waiting verdict with Steady keeps it.
// There is one read per second: a and b have Steady with that progress, A also waits, and - has
// no Steady.
func TestApplySteady(t *testing.T) {
	for looks, want := range map[string]string{ // s: waits until it is steady; m: met; r: waits for the rest
		"aaaaa": "sssmm", "abbbbb": "ssssmm", "aaabaaaa": "sssssssm", "a-aaaa": "srsssm", "aAaa": "sssm", "aAAAa": "sssrm",
	} {
		clk := faulty.NewClock()
		w := newWatch(&run[Observation]{o: Options{Clock: clk}}, Info{})
		got := ""
		for _, look := range looks {
			v := Verdict{Kind: Met, Progress: strings.ToLower(string(look)), Steady: Steady{For: 3 * time.Second, What: "s"}}
			switch look {
			case 'A':
				v.Kind, v.WaitingFor, v.Err = Waiting, "r", faulty.Refused()
			case '-':
				v = Verdict{Kind: Waiting, WaitingFor: "r"}
			}
			v = w.applySteady(v)
			if got += v.WaitingFor; v.Kind == Met {
				got += "m"
			}
			if v.WaitingFor == "s" && v.Err != nil {
				t.Errorf("%s: what comes after holds it up: %v", looks, v.Err)
			}
			clk.Step(time.Second)
		}
		if got != want {
			t.Errorf("%s: %s, wanted %s", looks, got, want)
		}
	}
}

// A step is not done before its Progress was steady.
func TestRun_unsteadyStep_waits(t *testing.T) {
	var looked []time.Time
	b := waiting(t, func(_ int, now time.Time) (Verdict, error) {
		looked = append(looked, now)
		return Verdict{Kind: Met, Stable: 1, Progress: "p", Steady: Steady{For: 30 * time.Second, What: "the same"}}, nil
	})
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
	if took := looked[len(looked)-1].Sub(looked[0]); took < 30*time.Second || took > time.Minute {
		t.Errorf("done after %s", took)
	}
}

func TestRun_noProgress_ends(t *testing.T) {
	var start time.Time
	b := waiting(t, func(i int, now time.Time) (Verdict, error) {
		if i == 0 {
			start = now
		}
		if i > 1000 {
			return Verdict{Kind: Failed, Seen: "waited on without progress"}, nil
		}
		return Verdict{Kind: Waiting, WaitingFor: "3 control planes", Seen: "2/3", Progress: "2"}, nil
	})
	b.o.Timeout = 5 * time.Minute
	res, err := b.run()
	faulty.WantClass(t, err, fault.NoProgress, "waiting for 3 control planes", "seen: 2/3", "since "+start.UTC().Format(time.RFC3339))
	if d := b.clock.Since(start); d < 5*time.Minute || d > 5*time.Minute+2*time.Second {
		t.Errorf("gave up after %s", d)
	}
	if res.Resume != b.o.Command || outcomes(res)["one"] != Stopped {
		t.Errorf("result %+v", res)
	}
	if n := len(b.events.of(StepWaiting)); n < 10 || n > 12 { // once, then every 30 s
		t.Errorf("%d waiting events in 5 minutes", n)
	}
	for _, e := range b.events.of(StepWaiting) {
		if w := e.Waiting; w.For == "" || w.Seen == "" || w.Since.IsZero() || w.LastProgress.IsZero() || w.Until.Sub(w.LastProgress) != 5*time.Minute {
			t.Fatalf("a field of the wait is empty: %+v", w)
		}
	}
	if h := b.history(); h[0].Outcome != "stopped" || h[0].Reason != "NoProgress" || h[0].Step != "one" {
		t.Errorf("history %+v", h)
	}
}

// A wait with a known obstacle ends with it, and not with "no cause found". It lasts as long as
// any other, because the obstacle may pass.
func TestRun_knownObstacle_endsWithIt(t *testing.T) {
	var start time.Time
	down := &fault.Error{Class: fault.Check, Reason: "NodeNotReady", Object: "Node a", Seen: "is not Ready", Wanted: "Ready", Fix: "start it"}
	script := func(comesBack, blind bool) *bench {
		b := waiting(t, func(i int, now time.Time) (Verdict, error) {
			if i == 0 {
				start = now
			}
			v := Verdict{Kind: Waiting, WaitingFor: "3 control planes", Seen: "2/3", Progress: "2", Err: down}
			switch {
			case comesBack && now.Sub(start) > 4*time.Minute:
				return Verdict{Kind: Met}, nil
			case blind && now.Sub(start) > 4*time.Minute:
				return Verdict{}, faulty.Refused()
			}
			return v, nil
		})
		b.o.Timeout = 5 * time.Minute
		return b
	}
	b := script(false, false)
	_, err := b.run()
	faulty.WantClass(t, err, fault.Check, "Node a", "is not Ready", "waited for 3 control planes", "since "+start.UTC().Format(time.RFC3339), "start it")
	if d := b.clock.Since(start); d < 5*time.Minute || d > 5*time.Minute+2*time.Second {
		t.Errorf("gave up after %s", d)
	}
	if h := b.history(); h[0].Reason != "NodeNotReady" {
		t.Errorf("history %+v", h)
	}
	if down.Seen != "is not Ready" {
		t.Errorf("the verdict's own cause was changed: %q", down.Seen)
	}
	if _, err := script(true, false).run(); err != nil {
		t.Errorf("what came back: %v", err)
	}
	_, err = script(false, true).run()
	faulty.WantClass(t, err, fault.CouldNotLook)
	b = script(false, false)
	b.o.Deadline = time.Minute
	_, err = b.run()
	faulty.WantClass(t, err, fault.NoProgress, "1m0s", "Node a: is not Ready")
}

func TestRun_progress_extendsWait(t *testing.T) {
	var start time.Time
	b := waiting(t, func(i int, now time.Time) (Verdict, error) {
		if i == 0 {
			start = now
		}
		if now.Sub(start) > 8*time.Hour {
			return Verdict{Kind: Met}, nil
		}
		moved := int(now.Sub(start) / (14 * time.Minute))
		return Verdict{Kind: Waiting, WaitingFor: "200 workers", Seen: fmt.Sprint(moved), Progress: fmt.Sprint(moved), Done: moved, Total: 200}, nil
	})
	b.o.Poll = 10 * time.Second
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
}

func TestRun_deadline_endsWait(t *testing.T) {
	b := waiting(t, func(i int, _ time.Time) (Verdict, error) {
		return Verdict{Kind: Waiting, WaitingFor: "workers", Seen: "some", Progress: fmt.Sprint(i)}, nil
	})
	b.o.Deadline = time.Hour
	start := b.clock.Now()
	_, err := b.run()
	faulty.WantClass(t, err, fault.NoProgress, "1h0m0s", "workers")
	if d := b.clock.Since(start); d < time.Hour || d > time.Hour+5*time.Second {
		t.Errorf("ended after %s", d)
	}
}

func TestRun_transientErrors_waits(t *testing.T) {
	transient := []error{faulty.Refused(), faulty.Status(429), faulty.Status(500), faulty.Status(502), faulty.Status(503), faulty.Status(504), &net.DNSError{IsTimeout: true}, context.DeadlineExceeded}
	b := waiting(t, func(i int, _ time.Time) (Verdict, error) {
		if i < 5*len(transient) {
			return Verdict{}, transient[i%len(transient)]
		}
		return Verdict{Kind: Met}, nil
	})
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
	seen := b.events.of(StepWaiting)
	if len(seen) == 0 || seen[0].Waiting.Seen != "could not look: connection refused" {
		t.Errorf("not shown: %+v", seen)
	}
}

// Counted belongs to a successful read. After a failed read nothing is counted, but the last
// count stays.
func TestRun_outageDuringWait_countsNothing(t *testing.T) {
	b := waiting(t, func(i int, _ time.Time) (Verdict, error) {
		switch {
		case i < 40:
			return Verdict{Kind: Waiting, WaitingFor: "pods", Seen: "1/3 ready", Done: 1, Total: 3, Counted: true}, nil
		case i < 80:
			return Verdict{}, faulty.Status(503)
		}
		return Verdict{Kind: Met}, nil
	})
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
	counted := map[bool]int{}
	for _, e := range b.events.of(StepWaiting) {
		counted[e.Waiting.Counted]++
		if e.Waiting.Counted != (e.Waiting.Seen == "1/3 ready") || e.Waiting.Done != 1 {
			t.Errorf("%+v", e.Waiting)
		}
	}
	if counted[true] == 0 || counted[false] == 0 {
		t.Errorf("shown %v", counted)
	}
}

func TestRun_endlessOutage_isCouldNotLook(t *testing.T) {
	b := waiting(t, func(i int, _ time.Time) (Verdict, error) {
		if i == 0 {
			return Verdict{Kind: Waiting, WaitingFor: "the flag", Seen: "0/3"}, nil
		}
		return Verdict{}, faulty.Status(503)
	})
	_, err := b.run()
	faulty.WantClass(t, err, fault.CouldNotLook, "waiting for the flag", "503")
	if f, _ := fault.As(err); !strings.Contains(f.Fix, "once the API answers") {
		t.Errorf("fix %q: what holds it up is known", f.Fix)
	}
}

// The fix of the failed read takes precedence.
func TestRun_endlessOutage_keepsFix(t *testing.T) {
	b := waiting(t, func(int, time.Time) (Verdict, error) {
		return Verdict{}, &fault.Error{Class: fault.CouldNotLook, Fix: "go another way", Err: faulty.Status(503)}
	})
	_, err := b.run()
	faulty.WantClass(t, err, fault.CouldNotLook, "503")
	if f, _ := fault.As(err); f.Fix != "go another way" {
		t.Errorf("fix %q", f.Fix)
	}
}

func TestRun_denied_stops(t *testing.T) {
	for _, denied := range []error{faulty.Status(http.StatusUnauthorized), faulty.Status(http.StatusForbidden), errors.Join(faulty.Refused(), faulty.Status(http.StatusForbidden))} {
		reads := 0
		b := waiting(t, func(int, time.Time) (Verdict, error) { reads++; return Verdict{}, denied })
		_, err := b.run()
		faulty.WantClass(t, err, fault.CouldNotLook, "credentials")
		if reads != 1 {
			t.Errorf("read %d times after %v", reads, denied)
		}
	}
}

func TestRun_failedVerdict_stopsWithCause(t *testing.T) {
	cause := &fault.Error{Class: fault.Check, Reason: "CrashLoop", Object: "Pod ccm", Seen: "exit 1"}
	b := waiting(t, func(int, time.Time) (Verdict, error) { return Verdict{Kind: Failed, Err: cause}, nil })
	if _, err := b.run(); !errors.Is(err, cause) {
		t.Fatal(err)
	}
	b = waiting(t, func(int, time.Time) (Verdict, error) { return Verdict{Kind: Failed, Seen: "broken"}, nil })
	_, err := b.run()
	faulty.WantClass(t, err, fault.Check, "broken")
	b = waiting(t, func(int, time.Time) (Verdict, error) { return Verdict{}, nil })
	_, err = b.run()
	faulty.WantClass(t, err, fault.Unexpected, "verdict")
}

func TestRun_verifyError_isNoSuccess(t *testing.T) {
	b := waiting(t, func(int, time.Time) (Verdict, error) {
		return Verdict{Kind: Met, Stable: 1}, errors.New("half a reading")
	})
	if _, err := b.run(); err == nil {
		t.Fatal("Met with an error was taken for success")
	}
}

func TestRun_outageDuringDo_retries(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	away := 3
	b.p.step("two").do = func(ctx context.Context, tx *Tx) error {
		if err := b.p.step("two").apply(ctx, tx); err != nil {
			return err
		}
		if away--; away > 0 {
			return faulty.Refused() // the answer was lost, the effect was not
		}
		return nil
	}
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
	if b.w.facts["two/0"] != 1 {
		t.Errorf("the effect took place %d times", b.w.facts["two/0"])
	}
}

func TestRun_mustPauseVerdict_pauses(t *testing.T) {
	cause := &fault.Error{Class: fault.Check, Reason: "Renamed", Object: "Machine m", Seen: "two Nodes"}
	for _, fails := range []bool{false, true} {
		b := waiting(t, func(int, time.Time) (Verdict, error) { return Verdict{Kind: MustPause, Err: cause}, nil })
		pulled := 0
		b.p.pause = func(ctx context.Context, tx *Tx, got error) (string, error) {
			pulled++
			if !errors.Is(got, cause) {
				t.Errorf("cause %v", got)
			}
			if fails {
				return "", errors.New("admission says no")
			}
			return "paused", tx.Effect(ctx, journal.Intent{What: "pause", Object: "rkecontrolplane"}, func(context.Context) error { return nil })
		}
		_, err := b.run()
		if !errors.Is(err, cause) || fault.ClassOf(err) != fault.Check {
			t.Fatalf("ended with %v", err)
		}
		st, _ := b.journal.Load(t.Context())
		ev := b.events.of(RolloutPaused)
		if pulled != 1 || len(ev) != 1 || st.Pause == nil || st.Pause.Step != "one" {
			t.Fatalf("pulled %d times, events %+v, journal %+v", pulled, ev, st.Pause)
		}
		if fails {
			faulty.WantClass(t, err, fault.Check, "admission says no")
			if ev[0].Err == nil || st.Pause.Done != "" {
				t.Errorf("a failed pause looks successful: %+v %+v", ev[0], st.Pause)
			}
			continue
		}
		if ev[0].Message != "paused" || st.Pause.Done != "paused" || st.Intents[len(st.Intents)-1].What != "pause" {
			t.Errorf("%+v %+v", ev[0], st.Pause)
		}
		// A successful run ends the pause.
		b.p.step("one").verify = nil
		b.w.facts = map[string]int{}
		b.o.RunID = "run-2"
		if _, err := b.run(); err != nil {
			t.Fatal(err)
		}
		if st, _ = b.journal.Load(t.Context()); st.Pause != nil {
			t.Errorf("still paused: %+v", st.Pause)
		}
	}
}

// A cluster that is unsettled for a moment does not end a run. If it stays unsettled, the run
// ends with the same words.
func TestRun_unsettledDo_waits(t *testing.T) {
	for name, tt := range map[string]struct{ restless, want int }{"for a moment": {5, 6}, "for good": {1 << 20, 0}} {
		b := newBench(t, migration(newWorld()))
		two, calls := b.p.step("two"), 0
		two.do = func(context.Context, *Tx) error {
			if calls++; calls <= tt.restless {
				return &fault.Error{Class: fault.Check, Reason: "NotAtRest", Object: "Cluster demo", Seen: "Machine x waits", Wanted: "rest", Transient: true}
			}
			return nil
		}
		two.verify = func(context.Context, *Tx) (Verdict, error) { two.kind = Done; return Verdict{Kind: Met}, nil }
		_, err := b.run()
		f, failed := fault.As(err)
		switch {
		case tt.want > 0 && (failed || calls != tt.want):
			t.Errorf("%s: %d calls, %v", name, calls, err)
		case tt.want == 0 && (!failed || f.Reason != "NotAtRest" || calls < 10 || calls > 1000):
			t.Errorf("%s: %d calls, %v", name, calls, err)
		}
	}
}

// A state is shown when it changes, once more if it stays, and then every 30 s. A view may have
// dropped the first event because it followed another closely.
func TestRun_unchangedWait_isShownAgain(t *testing.T) {
	var s shownWait
	var shown []int
	start := time.Now()
	for second := range 70 {
		seen := "the old"
		if second > 0 {
			seen = "the new"
		}
		if s.due(&Wait{For: "x", Seen: seen}, start.Add(time.Duration(second)*time.Second)) {
			shown = append(shown, second)
		}
	}
	if want := []int{0, 1, 6, 36, 66}; !slices.Equal(shown, want) {
		t.Errorf("shown at %v, wanted %v", shown, want)
	}
}
