package clustertest

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// The position of each test cluster is computed as for a real one.
func TestAt_position_computed(t *testing.T) {
	for _, p := range position.All() {
		snap := At(p)
		if got := position.Compute(snap.Reading.Evidence()); got.Position != p || got.Mixed {
			t.Errorf("%s: %+v", p, got)
		}
	}
}
