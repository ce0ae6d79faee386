package runner

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// killed is the panic value of a process that dies at a point.
type killed struct{ point string }

// runKilled runs b and dies at point n of the hook. It returns false if the run ended earlier.
func runKilled(b *bench, n int) (died bool, err error) {
	at := 0
	b.w.hook = func(point string) {
		if at == n {
			panic(killed{point})
		}
		at++
	}
	defer func() {
		b.w.hook = func(string) {}
		if p := recover(); p != nil {
			if _, ok := p.(killed); !ok {
				panic(p)
			}
			died, err = true, nil
		}
	}()
	_, err = b.run()
	return false, err
}

// startNewProcess makes b a new process after the dead run's lock has expired.
func startNewProcess(b *bench, run int) {
	b.lock.Break()
	b.o.RunID = fmt.Sprintf("run-%d", run)
	b.o.Lock = b.lock.For(lock.Owner{User: "alice", Host: "laptop", PID: run, Run: b.o.RunID})
}

func TestRun_killedTwiceAnywhere_completes(t *testing.T) {
	clean := newBench(t, migration(newWorld()))
	points := 0
	clean.w.hook = func(string) { points++ }
	if _, err := clean.run(); err != nil {
		t.Fatal(err)
	}
	if points < 30 { // 8 effects and their commits, before and after, and the history
		t.Fatalf("only %d points to die at", points)
	}
	tried := 0
	for first := range points {
		for second := -1; ; second++ { // -1: dies once
			b := newBench(t, migration(newWorld()))
			if died, err := runKilled(b, first); !died || err != nil {
				t.Fatalf("point %d: died %v, %v", first, died, err)
			}
			startNewProcess(b, 2)
			died := false
			if second >= 0 {
				var err error
				if died, err = runKilled(b, second); err != nil {
					t.Fatalf("points %d, %d: %v", first, second, err)
				}
				startNewProcess(b, 3)
			}
			if _, err := b.run(); err != nil {
				t.Fatalf("points %d, %d: run again: %v", first, second, err)
			}
			tried++
			if !maps.Equal(b.w.facts, clean.w.facts) {
				t.Fatalf("points %d, %d: ended at %v, want %v", first, second, b.w.facts, clean.w.facts)
			}
			if err := intentBeforeEffect(b.w.trace); err != nil {
				t.Fatalf("points %d, %d: %v", first, second, err)
			}
			for _, r := range b.history()[:len(b.history())-1] {
				if r.Outcome == "" {
					t.Fatalf("points %d, %d: a dead run is left open: %+v", first, second, b.history())
				}
			}
			if second >= 0 && !died {
				break
			}
		}
	}
	t.Logf("%d points, %d ways to die", points, tried)
}

// intentBeforeEffect checks that in a trace every effect follows the commit of its intent.
func intentBeforeEffect(trace []string) error {
	for i, what := range trace {
		fact, isEffect := strings.CutPrefix(what, "effect ")
		if isEffect && !slices.Contains(trace[:i], "commit "+fact) {
			return fmt.Errorf("%s took place before its intent was committed: %v", fact, trace[:i+1])
		}
	}
	return nil
}

func TestEffect_anyKill_followsIntent(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
	if n := len(b.w.trace); n < 16 {
		t.Fatalf("only %d entries traced", n)
	}
	if err := intentBeforeEffect(b.w.trace); err != nil {
		t.Error(err)
	}
	// The trace of an engine that commits the intent after the effect must be refused.
	defect := slices.Clone(b.w.trace)
	for i := range defect[:len(defect)-1] {
		if strings.HasPrefix(defect[i+1], "effect ") {
			defect[i], defect[i+1] = defect[i+1], defect[i]
		}
	}
	if intentBeforeEffect(defect) == nil {
		t.Error("the judge does not see effects that precede their commit")
	}
}

func TestEffect_begin_intentIsStored(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	effects := 0
	b.w.hook = func(point string) {
		fact, ok := strings.CutPrefix(point, "before ")
		if !ok || fact == "commit" {
			return
		}
		effects++
		st, err := b.journal.Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		last := st.Intents[len(st.Intents)-1]
		if last.Object != fact || last.Run != "run-1" || last.Time == "" || last.Step == "" {
			t.Errorf("at %s the journal says %+v", fact, last)
		}
	}
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
	if effects != 8 {
		t.Errorf("%d effects seen", effects)
	}
}

func TestRun_deletedJournal_completes(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	b.o.Until = "two"
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
	*b.journal = journal.Memory{}
	b.o.Until, b.o.RunID = "", "run-2"
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
	for fact, n := range b.w.facts {
		if n != 1 {
			t.Errorf("%s took place %d times", fact, n)
		}
	}
}
