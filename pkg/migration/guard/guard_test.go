package guard

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

func TestGuard(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(after time.Duration, change func(*Signals)) Signals {
		s := Signals{At: start.Add(after), LeaseMark: after.String(), LeaseNeeded: true, LeaseHolder: "a"}
		if change != nil {
			change(&s)
		}
		return s
	}
	stuck := func(s *Signals) { s.LeaseMark = "same" }
	tests := []struct {
		name string
		seen []Signals
		want string // reason at the last signals, or empty
	}{
		{"nothing wrong", []Signals{at(0, nil), at(time.Hour, nil)}, ""},
		{"deleted and registered again", []Signals{at(0, func(s *Signals) { s.Renames = []Rename{{"m", "a", "a", "UID x, was y"}} })}, "NodeReplaced"},
		{"renamed", []Signals{at(0, func(s *Signals) { s.Renames = []Rename{{"m", "old", "new", "same instance"}} })}, "NodeRenamed"},
		{"external with flag", []Signals{at(0, func(s *Signals) { s.Starving = []string{"cp-1"} })}, "StarvingLease"},
		{"lease quiet within a hand-over", []Signals{at(0, stuck), at(84*time.Second, stuck)}, ""},
		{"lease quiet for too long", []Signals{at(0, stuck), at(85*time.Second, stuck)}, "LeaseNotRenewed"},
		{"no holder expected yet", []Signals{at(0, stuck), at(time.Hour, func(s *Signals) { stuck(s); s.LeaseNeeded = false })}, ""},
		{"CCM restarts before the hand-over", []Signals{
			at(0, func(s *Signals) { s.CCMRestarts = map[string]int32{"p": 0} }),
			at(1, func(s *Signals) { s.CCMRestarts = map[string]int32{"p": 1} })}, ""},
		{"CCM restarts after the hand-over", []Signals{
			at(0, func(s *Signals) { s.CCMHolds = true; s.CCMRestarts = map[string]int32{"p": 1} }),
			at(1, func(s *Signals) { s.CCMRestarts = map[string]int32{"p": 2} })}, "CCMRestarts"},
		{"a new CCM pod is no restart", []Signals{
			at(0, func(s *Signals) { s.CCMHolds = true; s.CCMRestarts = map[string]int32{"p": 1} }),
			at(1, func(s *Signals) { s.CCMRestarts = map[string]int32{"q": 2} })}, ""},
		{"switched machine recovers", []Signals{
			at(0, func(s *Signals) { s.SwitchedNotReady = []string{"m"} }), at(4*time.Minute, nil),
			at(6*time.Minute, func(s *Signals) { s.SwitchedNotReady = []string{"m"} })}, ""},
		{"switched machine stays down", []Signals{
			at(0, func(s *Signals) { s.SwitchedNotReady = []string{"m"} }),
			at(5*time.Minute+time.Second, func(s *Signals) { s.SwitchedNotReady = []string{"m"} })}, "SwitchedNotReady"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var guard Guard
			var err error
			for _, s := range tt.seen {
				err = guard.Judge(s)
			}
			got := ""
			if f, ok := fault.As(err); ok {
				got = f.Reason
			}
			if got != tt.want {
				t.Errorf("reason %q (%v), want %q", got, err, tt.want)
			}
		})
	}
}

// Changes that were not visible, or had no API server, do not pause a rollout.
func TestGuardAfterAnOutage(t *testing.T) {
	start := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	signals := func(seconds int, mark string) Signals {
		return Signals{At: start.Add(time.Duration(seconds) * time.Second), LeaseMark: mark, LeaseNeeded: true, CCMHolds: true,
			CCMRestarts: map[string]int32{"ccm-a": 0}}
	}
	after := func(s Signals, unseen bool) Signals { s.Unseen, s.Outage = unseen, true; return s }
	restarted := func(s Signals) Signals { s.CCMRestarts = map[string]int32{"ccm-a": 2}; return s }
	notReady := func(s Signals) Signals { s.SwitchedNotReady = []string{"cp-0"}; return s }
	for name, tt := range map[string]struct {
		all     []Signals
		stopped bool
	}{
		"no renewal between readings":      {[]Signals{signals(0, "a"), after(signals(150, "a"), true), after(signals(155, "b"), false)}, false},
		"nor afterwards":                   {[]Signals{signals(0, "a"), after(signals(150, "a"), true), after(signals(240, "a"), false)}, true},
		"no renewal at two readings":       {[]Signals{signals(0, "a"), signals(90, "a")}, true},
		"a CCM that ended in the outage":   {[]Signals{signals(0, "a"), after(restarted(signals(150, "b")), true), after(restarted(signals(155, "c")), false), restarted(signals(500, "d"))}, false},
		"one that ends soon after it":      {[]Signals{signals(0, "a"), after(signals(150, "b"), true), after(restarted(signals(155, "c")), false)}, false},
		"one that ends without outage":     {[]Signals{signals(0, "a"), restarted(signals(5, "b"))}, true},
		"a machine not Ready through it":   {[]Signals{notReady(signals(0, "a")), after(notReady(signals(310, "b")), true), after(notReady(signals(320, "c")), false)}, false},
		"a machine not Ready, and seen so": {[]Signals{notReady(signals(0, "a")), notReady(signals(80, "b")), notReady(signals(160, "c")), notReady(signals(240, "d")), notReady(signals(310, "e"))}, true},
	} {
		var g Guard
		var stopped error
		for _, s := range tt.all {
			if err := g.Judge(s); err != nil {
				stopped = err
			}
		}
		if (stopped != nil) != tt.stopped {
			t.Errorf("%s: %v", name, stopped)
		}
	}
}
