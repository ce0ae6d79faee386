package clustertest

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// The clusters of these tests are where they say: by the same computation as of real ones.
func TestClustersOfTheseTests(t *testing.T) {
	for _, p := range position.All() {
		seen := At(p)
		if got := position.Compute(seen.Reading.Evidence()); got.Position != p || got.Mixed {
			t.Errorf("%s: %+v", p, got)
		}
	}
}
