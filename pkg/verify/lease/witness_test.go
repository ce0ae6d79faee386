package lease

import (
	"testing"
	"time"
)

// keeps returns a lease that its holder acquired by ago and renewed between the readings.
func keeps(by time.Duration) Series {
	s := held("cp-0_a", "kube-controller-manager", true, 2*time.Second)
	s.First.Acquire, s.Last.Acquire = s.Last.Renew.Add(-by), s.Last.Renew.Add(-by)
	return s
}

func TestWitnessOf_severalLeases_longestPeriod(t *testing.T) {
	minutes := func(n int) time.Duration { return time.Duration(n) * time.Minute }
	still := keeps(minutes(60))
	still.Last.Renew = still.First.Renew
	taken := keeps(minutes(60))
	taken.Last.Transitions++
	anew := keeps(minutes(60))
	anew.Last.UID = "another"
	unknown := keeps(minutes(60))
	unknown.First.Acquire, unknown.Last.Acquire = time.Time{}, time.Time{}
	for name, tt := range map[string]struct {
		leases Leases
		want   time.Duration // 0: no witness
	}{
		"no lease is held":            {Leases{}, 0},
		"one of three":                {Leases{KCM: keeps(minutes(7))}, minutes(7)},
		"the longest":                 {Leases{Migration: keeps(minutes(1)), KCM: keeps(minutes(3)), CCM: keeps(minutes(2))}, minutes(3)},
		"a lease without renewal":     {Leases{KCM: still, CCM: keeps(minutes(2))}, minutes(2)},
		"a lease with a new holder":   {Leases{KCM: taken, CCM: keeps(minutes(2))}, minutes(2)},
		"a recreated lease":           {Leases{KCM: anew}, 0},
		"one without an acquire time": {Leases{KCM: unknown}, 0},
	} {
		w, there := WitnessOf(tt.leases)
		if got := w.Now.Sub(w.From); got != tt.want || there != (tt.want > 0) {
			t.Errorf("%s: %s, %t", name, got, there)
		}
	}
}

// For is limited to the period of the witness.
func TestWitnessFor(t *testing.T) {
	w := Witness{From: t0, Now: t0.Add(time.Hour)}
	for since, want := range map[time.Time]time.Duration{
		{}:                       0,
		t0.Add(-time.Hour):       time.Hour,
		t0:                       time.Hour,
		t0.Add(40 * time.Minute): 20 * time.Minute,
		t0.Add(time.Hour):        0,
		t0.Add(2 * time.Hour):    0, // by a fast clock
	} {
		if got := w.For(since); got != want {
			t.Errorf("%s: %s, want %s", since, got, want)
		}
	}
}
