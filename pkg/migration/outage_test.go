package migration

import (
	"errors"
	"testing"
	"time"
)

func TestOutageRemembersReadingsThatFailed(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	var o outage
	if o = o.next(now, nil); o.before || o.recent(now) {
		t.Errorf("%+v after a reading", o)
	}
	o = o.next(now, errors.New("away")).next(now.Add(time.Minute), errors.New("away"))
	back := now.Add(2 * time.Minute)
	if o = o.next(back, nil); !o.before || !o.recent(back) {
		t.Errorf("%+v when it is back", o)
	}
	if o = o.next(back, nil); o.before || !o.recent(back) {
		t.Errorf("%+v in the second reading", o)
	}
	if last := now.Add(time.Minute); !o.recent(last.Add(BackOff-time.Second)) || o.recent(last.Add(BackOff)) {
		t.Error("an outage is over a back-off after the last reading that failed")
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
