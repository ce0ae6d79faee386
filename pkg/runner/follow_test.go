package runner

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// A run works if it is the journal's last run, has no end, and has renewed its lock recently.
func TestWorkingOf(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 5, 0, 0, time.UTC)
	at := func(minutes int) string { return now.Add(time.Duration(minutes) * time.Minute).Format(time.RFC3339) }
	intents := []journal.Intent{
		{Step: "enable", Run: "r", Time: at(-4)}, {Step: "switch", Run: "r", Time: at(-3)}, {Step: "switch", Run: "r", Time: at(-2)},
	}
	held := func(run string, ago time.Duration) *lock.Held {
		return &lock.Held{Owner: lock.Owner{User: "u", Run: run}, Renewed: now.Add(-ago), For: time.Minute}
	}
	for name, tt := range map[string]struct {
		runs []journal.Run
		held *lock.Held
		want bool
	}{
		"it works":                       {[]journal.Run{{ID: "q", Outcome: "done"}, {ID: "r", Start: at(-5)}}, held("r", 10*time.Second), true},
		"nobody holds the lock":          {[]journal.Run{{ID: "r"}}, nil, false},
		"it has ended":                   {[]journal.Run{{ID: "r", Outcome: "done"}}, held("r", time.Second), false},
		"another holds the lock":         {[]journal.Run{{ID: "r"}}, held("s", time.Second), false},
		"there was none":                 {nil, held("r", time.Second), false},
		"a clock is a little behind":     {[]journal.Run{{ID: "r", Start: at(-5)}}, held("r", 90*time.Second), true},
		"nobody has renewed it for long": {[]journal.Run{{ID: "r"}}, held("r", 3*time.Minute), false},
	} {
		got := WorkingOf(journal.State{Runs: tt.runs, Intents: intents}, tt.held, now)
		if (got != nil) != tt.want {
			t.Errorf("%s: %+v", name, got)
		}
		if got != nil && (got.Step != "switch" || !got.Since.Equal(now.Add(-3*time.Minute)) || !got.Started.Equal(now.Add(-5*time.Minute))) {
			t.Errorf("%s: in step %s since %s, started %s", name, got.Step, got.Since, got.Started)
		}
	}
}
