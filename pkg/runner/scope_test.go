package runner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

func TestScopeOf(t *testing.T) {
	for name, c := range map[string]struct {
		before journal.StepID // run until here first
		only   journal.StepID
		until  journal.StepID
		want   []journal.StepID
		class  fault.Class // with text
		text   string
	}{
		"until":                        {until: "two", want: []journal.StepID{"preflight", "one", "two"}},
		"until a reading step":         {until: "verify", want: []journal.StepID{"preflight", "one", "two", "three", "verify"}},
		"until the first":              {until: "preflight", want: []journal.StepID{"preflight"}},
		"until a done step":            {before: "two", until: "one", want: []journal.StepID{"preflight"}},
		"only the first to do":         {before: "one", only: "two", want: []journal.StepID{"preflight", "two"}},
		"only a later one":             {before: "one", only: "four", class: fault.Usage, text: "--step two"},
		"only one that is done":        {before: "two", only: "one", class: fault.Usage, text: "next step is three"},
		"only when nothing is pending": {before: "four", only: "one", class: fault.Usage, text: "no step is pending"},
		"only a reading step":          {before: "one", only: "verify", want: []journal.StepID{"verify"}},
		"only an unknown step":         {only: "nine", class: fault.Usage, text: "one of preflight, one, two"},
		"until an unknown step":        {until: "nine", class: fault.Usage, text: "step nine"},
		"only and until at once":       {only: "one", until: "two", class: fault.Usage, text: "one of the two"},
		"until the last, from middle":  {before: "two", until: "four", want: []journal.StepID{"preflight", "three", "verify", "four"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, migration(newWorld()))
			if c.before != "" {
				b.o.Until = c.before
				if _, err := b.run(); err != nil {
					t.Fatal(err)
				}
				b.events.all, b.o.RunID = nil, "run-2"
			}
			b.o.Only, b.o.Until = c.only, c.until
			facts := len(b.w.facts)
			_, err := b.run()
			if c.text != "" {
				faulty.WantClass(t, err, c.class, c.text)
				if len(b.w.facts) != facts {
					t.Error("it wrote all the same")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, b.events.steps(StepStarted)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestRun_untilDoneStep_doesNothing(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	b.o.Lock, b.o.Until = refusingLock{}, "two"
	b.p.observe = func(o Observation) (Observation, error) {
		o.States["two"] = State{Kind: Done}
		return o, nil
	}
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
	if len(b.w.facts) != 0 || b.journal.Versions() != 0 {
		t.Error("it wrote")
	}
}
