package migration

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
