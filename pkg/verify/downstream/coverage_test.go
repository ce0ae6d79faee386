package downstream

import (
	"slices"
	"testing"
)

func TestCoverage(t *testing.T) {
	for _, tc := range []struct {
		name     string
		c        Coverage
		missing  []string
		complete bool
	}{
		{"every one", Coverage{[]string{"a", "b"}, []string{"b", "a"}, 2, 2, true}, nil, true},
		{"as many, on a worker", Coverage{[]string{"a", "b"}, []string{"a", "w"}, 2, 2, true}, []string{"b"}, false},
		{"as many, two on one", Coverage{[]string{"a", "b"}, []string{"a", "a"}, 2, 2, true}, []string{"b"}, false},
		{"one is not ready", Coverage{[]string{"a", "b"}, []string{"a"}, 2, 2, true}, []string{"b"}, false},
		{"workers as well", Coverage{[]string{"a"}, []string{"a", "w"}, 2, 2, true}, nil, false},
		{"another template", Coverage{[]string{"a"}, []string{"a"}, 1, 1, false}, nil, false},
		{"in the middle of a rollout", Coverage{[]string{"a", "b"}, []string{"a", "b"}, 2, 1, true}, nil, false},
		{"no control plane", Coverage{Observed: true}, nil, false},
	} {
		if got := tc.c.Missing(); !slices.Equal(got, tc.missing) || tc.c.Complete() != tc.complete {
			t.Errorf("%s: missing %v, complete %t", tc.name, got, tc.c.Complete())
		}
	}
}
