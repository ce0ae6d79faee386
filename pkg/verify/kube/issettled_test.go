package kube

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
)

func TestIsSettled(t *testing.T) {
	t0 := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	series := func(renewed bool, ago time.Duration) lease.Series {
		o := lease.Observation{Exists: true, Holder: "a_1", Duration: 15 * time.Second, Renew: t0.Add(-ago)}
		s := lease.Series{First: o, Last: o}
		if renewed {
			s.Last.Renew = s.Last.Renew.Add(time.Second)
		}
		return s
	}
	fenced := series(false, 0)
	fenced.First.Holder, fenced.First.Duration = "awsmigrate-fence_r", 15*time.Second
	fenced.Last = fenced.First
	empty := lease.Series{First: lease.Observation{Exists: true}, Last: lease.Observation{Exists: true}}
	cases := []struct {
		name    string
		leases  lease.Leases
		elapsed time.Duration
		want    bool
	}{
		{"nothing there", lease.Leases{}, 0, true},
		{"not renewed yet", lease.Leases{KCM: series(false, 0)}, time.Second, false},
		{"renewed", lease.Leases{KCM: series(true, 0)}, time.Second, true},
		{"one not renewed yet", lease.Leases{KCM: series(true, 0), Migration: series(false, 0)}, 3 * time.Second, false},
		{"one long dead, too early", lease.Leases{KCM: series(true, 0), Migration: series(false, time.Hour)}, time.Second, false},
		{"one long dead", lease.Leases{KCM: series(true, 0), Migration: series(false, time.Hour)}, 3 * time.Second, true},
		{"all dead are waited for", lease.Leases{KCM: series(false, time.Hour)}, 3 * time.Second, false},
		{"a candidate may still take it", lease.Leases{KCM: series(false, 0)}, 23 * time.Second, false},
		{"no candidate takes it", lease.Leases{KCM: series(false, 0)}, 24 * time.Second, true},
		{"a hand-over may take longer than that", lease.Leases{Migration: fenced}, 23 * time.Second, false},
		{"a hand-over takes no longer than that", lease.Leases{Migration: fenced}, 24 * time.Second, true},
		{"no holder", lease.Leases{Migration: empty}, 0, true},
	}
	for _, tc := range cases {
		if got := isSettled(tc.leases, tc.elapsed, 10*time.Second); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}
