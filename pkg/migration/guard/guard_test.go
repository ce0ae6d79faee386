package guard

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

func TestGuard(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(after time.Duration, change func(*Sighting)) Sighting {
		s := Sighting{At: start.Add(after), LeaseMark: after.String(), LeaseNeeded: true, LeaseHolder: "a"}
		if change != nil {
			change(&s)
		}
		return s
	}
	stuck := func(s *Sighting) { s.LeaseMark = "same" }
	tests := []struct {
		name string
		seen []Sighting
		want string // reason at the last sighting; "" for none
	}{
		{"nothing wrong", []Sighting{at(0, nil), at(time.Hour, nil)}, ""},
		{"deleted and registered again", []Sighting{at(0, func(s *Sighting) { s.Renames = []Rename{{"m", "a", "a", "UID x, was y"}} })}, "NodeReplaced"},
		{"renamed", []Sighting{at(0, func(s *Sighting) { s.Renames = []Rename{{"m", "old", "new", "same instance"}} })}, "NodeRenamed"},
		{"external with flag", []Sighting{at(0, func(s *Sighting) { s.Starving = []string{"cp-1"} })}, "StarvingLease"},
		{"lease quiet within a hand-over", []Sighting{at(0, stuck), at(84*time.Second, stuck)}, ""},
		{"lease quiet for too long", []Sighting{at(0, stuck), at(85*time.Second, stuck)}, "LeaseNotRenewed"},
		{"no holder expected yet", []Sighting{at(0, stuck), at(time.Hour, func(s *Sighting) { stuck(s); s.LeaseNeeded = false })}, ""},
		{"CCM restarts before the hand-over", []Sighting{
			at(0, func(s *Sighting) { s.CCMRestarts = map[string]int32{"p": 0} }),
			at(1, func(s *Sighting) { s.CCMRestarts = map[string]int32{"p": 1} })}, ""},
		{"CCM restarts after the hand-over", []Sighting{
			at(0, func(s *Sighting) { s.CCMHolds = true; s.CCMRestarts = map[string]int32{"p": 1} }),
			at(1, func(s *Sighting) { s.CCMRestarts = map[string]int32{"p": 2} })}, "CCMRestarts"},
		{"a new CCM pod is no restart", []Sighting{
			at(0, func(s *Sighting) { s.CCMHolds = true; s.CCMRestarts = map[string]int32{"p": 1} }),
			at(1, func(s *Sighting) { s.CCMRestarts = map[string]int32{"q": 2} })}, ""},
		{"switched machine recovers", []Sighting{
			at(0, func(s *Sighting) { s.SwitchedNotReady = []string{"m"} }), at(4*time.Minute, nil),
			at(6*time.Minute, func(s *Sighting) { s.SwitchedNotReady = []string{"m"} })}, ""},
		{"switched machine stays down", []Sighting{
			at(0, func(s *Sighting) { s.SwitchedNotReady = []string{"m"} }),
			at(5*time.Minute+time.Second, func(s *Sighting) { s.SwitchedNotReady = []string{"m"} })}, "SwitchedNotReady"},
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

// What nobody could see, or what had no API server to move by, pulls no brake.
func TestGuardAfterAnOutage(t *testing.T) {
	start := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	sighting := func(seconds int, mark string) Sighting {
		return Sighting{At: start.Add(time.Duration(seconds) * time.Second), LeaseMark: mark, LeaseNeeded: true, CCMHolds: true,
			CCMRestarts: map[string]int32{"ccm-a": 0}}
	}
	after := func(s Sighting, unseen bool) Sighting { s.Unseen, s.Outage = unseen, true; return s }
	restarted := func(s Sighting) Sighting { s.CCMRestarts = map[string]int32{"ccm-a": 2}; return s }
	notReady := func(s Sighting) Sighting { s.SwitchedNotReady = []string{"cp-0"}; return s }
	for name, tt := range map[string]struct {
		sightings []Sighting
		braked    bool
	}{
		"no renewal while nobody looked":   {[]Sighting{sighting(0, "a"), after(sighting(150, "a"), true), after(sighting(155, "b"), false)}, false},
		"nor afterwards":                   {[]Sighting{sighting(0, "a"), after(sighting(150, "a"), true), after(sighting(240, "a"), false)}, true},
		"no renewal while it was looked":   {[]Sighting{sighting(0, "a"), sighting(90, "a")}, true},
		"a CCM that ended in the outage":   {[]Sighting{sighting(0, "a"), after(restarted(sighting(150, "b")), true), after(restarted(sighting(155, "c")), false), restarted(sighting(500, "d"))}, false},
		"one that ends soon after it":      {[]Sighting{sighting(0, "a"), after(sighting(150, "b"), true), after(restarted(sighting(155, "c")), false)}, false},
		"one that ends by itself":          {[]Sighting{sighting(0, "a"), restarted(sighting(5, "b"))}, true},
		"a machine not Ready through it":   {[]Sighting{notReady(sighting(0, "a")), after(notReady(sighting(310, "b")), true), after(notReady(sighting(320, "c")), false)}, false},
		"a machine not Ready, and seen so": {[]Sighting{notReady(sighting(0, "a")), notReady(sighting(80, "b")), notReady(sighting(160, "c")), notReady(sighting(240, "d")), notReady(sighting(310, "e"))}, true},
	} {
		var g Guard
		var braked error
		for _, s := range tt.sightings {
			if err := g.Judge(s); err != nil {
				braked = err
			}
		}
		if (braked != nil) != tt.braked {
			t.Errorf("%s: %v", name, braked)
		}
	}
}
