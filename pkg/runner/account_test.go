package runner

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

var accountNow = time.Date(2026, 11, 21, 9, 5, 0, 0, time.UTC)

func minutesAgo(minutes int) string {
	return accountNow.Add(-time.Duration(minutes) * time.Minute).Format(time.RFC3339)
}

func heldFor(run string, ago time.Duration) *lock.Held {
	return &lock.Held{Owner: lock.Owner{User: "u", Host: "h", PID: 7, Run: run}, Identity: "x", Renewed: accountNow.Add(-ago), For: time.Minute}
}

// notedRun returns a journal of the run r that is in the second of three steps.
func notedRun(t *testing.T) journal.State {
	t.Helper()
	raw, err := json.Marshal(announcedRun{Run: "r", Announcement: Announcement{Goal: "migrate", Until: "c", Step: "b", Since: accountNow.Add(-2 * time.Minute),
		Options: map[string]string{"--hand-over": "early"},
		Steps:   []AccountStep{{ID: "a", State: Done, Here: true, Said: []string{"proof"}}, {ID: "b", State: InProgress}, {ID: "c", State: Todo}}}})
	if err != nil {
		t.Fatal(err)
	}
	return journal.State{Runs: []journal.Run{{ID: "r", Start: minutesAgo(5), Command: "typed"}}, Notes: map[string]json.RawMessage{announcementNote: raw}}
}

func TestAccountOf(t *testing.T) {
	intents := []journal.Intent{{Step: "enable", Run: "r", Time: minutesAgo(4)}, {Step: "switch", Run: "r", Time: minutesAgo(3)}, {Step: "switch", Run: "r", Time: minutesAgo(2)}}
	unnoted := journal.State{Runs: []journal.Run{{ID: "q", Outcome: "done"}, {ID: "r", Start: minutesAgo(5)}}, Intents: intents}
	ended := notedRun(t)
	ended.Runs[0].Outcome = "stopped"
	later := notedRun(t)
	later.Runs = append(later.Runs, journal.Run{ID: "s", Guard: true})
	for name, tt := range map[string]struct {
		journal journal.State
		held    *lock.Held
		dead    bool
		life    Life // empty: no account
		text    string
		since   int // minutes ago, or 0 if unknown
	}{
		"noted_works":            {notedRun(t), heldFor("r", 10*time.Second), false, LifeWorks, "step 2 of 3 b", 2},
		"noted_deadHere":         {notedRun(t), heldFor("r", 10*time.Second), true, LifeDead, "step 2 of 3 b", 2},
		"noted_silent":           {notedRun(t), heldFor("r", 90*time.Second), false, LifeSilent, "step 2 of 3 b", 2},
		"noted_clockFarAhead":    {notedRun(t), heldFor("r", -90*time.Second), false, LifeSilent, "step 2 of 3 b", 2},
		"noted_clockAhead":       {notedRun(t), heldFor("r", -30*time.Second), false, LifeWorks, "step 2 of 3 b", 2},
		"noted_lockFree":         {notedRun(t), nil, false, "", "", 0},
		"noted_ended":            {ended, heldFor("r", time.Second), false, "", "", 0},
		"olderVersion_works":     {unnoted, heldFor("r", time.Second), false, LifeWorks, "step switch", 3},
		"noteOfEarlierRun_works": {later, heldFor("s", time.Second), false, LifeWorks, "", 0},
		"notInHistory_works":     {notedRun(t), heldFor("s", time.Second), false, LifeWorks, "", 0},
		"noHistory_works":        {journal.State{}, heldFor("s", time.Second), false, LifeWorks, "", 0},
		"anotherProgram_works":   {notedRun(t), heldFor("", time.Second), false, LifeWorks, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := AccountOf(tt.journal, tt.held, tt.dead, accountNow)
			if got == nil {
				if tt.life != "" {
					t.Fatal("no account")
				}
				return
			}
			if got.Life != tt.life || got.StepText() != tt.text || got.Works() != (tt.life == LifeWorks) {
				t.Errorf("%s in %q, wanted %q in %q", got.Life, got.StepText(), tt.life, tt.text)
			}
			if since := accountNow.Sub(got.Since); tt.since > 0 && since != time.Duration(tt.since)*time.Minute {
				t.Errorf("in its step for %s", since)
			}
		})
	}
}

func TestAccountOf_noted_hasOptionsAndHolder(t *testing.T) {
	got := AccountOf(notedRun(t), heldFor("r", time.Second), false, accountNow)
	if got.Holder != (AccountOwner{User: "u", Host: "h", PID: 7}) || got.Command != "typed" || got.Goal != "migrate" || got.Until != "c" || got.Options["--hand-over"] != "early" ||
		got.step("a").Said[0] != "proof" || !got.Started.Equal(accountNow.Add(-5*time.Minute)) {
		t.Errorf("%+v", got)
	}
}

// A run that is refused names the step of the run that holds the lock.
func TestRun_lockHeld_namesStepOfHolder(t *testing.T) {
	b := newBench(t, migration(newWorld()))
	st := notedRun(t)
	st.Target = b.p.Target()
	if err := b.o.Journal.Commit(t.Context(), &st); err != nil {
		t.Fatal(err)
	}
	if err := b.lock.For(lock.Owner{User: "u", Host: "h", PID: 7, Run: "r"}).Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := b.run()
	f, ok := fault.As(err)
	if !ok || f.Class != fault.Locked || !strings.Contains(f.Seen, "; it is in step 2 of 3 b") || !strings.Contains(f.Fix, "status --watch") {
		t.Errorf("%v", err)
	}
}
