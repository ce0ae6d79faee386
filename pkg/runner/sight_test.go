package runner

import (
	"slices"
	"testing"
	"time"
)

// A pause begins after the last renewal of one leader, and ends when the next leader, which was
// first seen leading, works.
func TestAdd_leaderChanges_boundsPauses(t *testing.T) {
	at := func(second int) time.Time { return time.Date(2026, 11, 21, 9, 0, second, 0, time.UTC) }
	leads := func(id string, since, renewed int) Leader {
		return Leader{ID: id, Leads: at(since), RenewedAfter: at(renewed - 1), Renewed: at(renewed)}
	}
	for name, tc := range map[string]struct {
		seen []Leader
		want []time.Duration
	}{
		"no leader":            {seen: []Leader{{}, {}}},
		"one, who goes on":     {seen: []Leader{leads("a", 0, 1), leads("a", 0, 41)}},
		"another one":          {seen: []Leader{leads("a", 0, 1), leads("a", 0, 3), leads("b", 9, 12)}, want: []time.Duration{7 * time.Second}},
		"no leader in between": {seen: []Leader{leads("a", 0, 3), {}, leads("b", 9, 12)}, want: []time.Duration{7 * time.Second}},
		"two, and back":        {seen: []Leader{leads("a", 0, 1), leads("b", 5, 8), leads("a", 9, 10)}, want: []time.Duration{5 * time.Second, 2 * time.Second}},
		"it led before":        {seen: []Leader{leads("a", 5, 9), leads("b", 3, 10)}},
		"seen only once":       {seen: []Leader{{ID: "a", Leads: at(1), Renewed: at(1)}, leads("b", 9, 10)}},
		"works later": {
			seen: []Leader{leads("a", 0, 1), {ID: "b", Leads: at(9), Renewed: at(9), Starts: 15 * time.Second}}, want: []time.Duration{24 * time.Second},
		},
		"the first that leads": {seen: []Leader{leads("b", 9, 10)}},
	} {
		var l leadership
		for _, one := range tc.seen {
			before := slices.Clone(l.pauses)
			next := l.add(one)
			if !slices.Equal(l.pauses, before) {
				t.Errorf("%s: the earlier value has changed", name)
			}
			l = next
		}
		if !slices.Equal(l.pauses, tc.want) {
			t.Errorf("%s: got %v, want %v", name, l.pauses, tc.want)
		}
	}
}
