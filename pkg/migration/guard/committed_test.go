package guard

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// No position of a run is harmful, but an owner's commit may be.
func TestCommitted_configuration_harmNamed(t *testing.T) {
	for p := position.P0; p <= position.P5; p++ {
		if err := Committed(clustertest.At(p)); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
	for name, tt := range map[string]struct {
		at     position.Position
		change func(*migration.Snapshot)
		reason string
	}{
		"switched before the CCM":       {position.P2, func(s *migration.Snapshot) { s.Reading.KCMs[1] = clustertest.AKCM("cp-1", "external", false) }, "NoManager"},
		"switched, the CCM is there":    {position.P3, func(s *migration.Snapshot) { s.Reading.KCMs[1] = clustertest.AKCM("cp-1", "external", false) }, ""},
		"the flag lost before the CCM":  {position.P2, func(s *migration.Snapshot) { s.Reading.KCMs[1] = clustertest.AKCM("cp-1", "aws", false) }, ""},
		"the flag lost next to the CCM": {position.P3, func(s *migration.Snapshot) { s.Reading.KCMs[1] = clustertest.AKCM("cp-1", "aws", false) }, "TwoManagers"},
		"all of it reverted at P4":      {position.P4, func(s *migration.Snapshot) { s.Reading.KCMs[0] = clustertest.AKCM("cp-0", "aws", false) }, "TwoManagers"},
		"in-tree again with the flag":   {position.P4, func(s *migration.Snapshot) { s.Reading.KCMs[0] = clustertest.AKCM("cp-0", "aws", true) }, ""},
		"arguments that are unknown":    {position.P3, func(s *migration.Snapshot) { s.Reading.KCMs[1].Known = false }, ""},
	} {
		snap := clustertest.At(tt.at)
		tt.change(&snap)
		err := Committed(snap)
		if got := clustertest.ReasonOf(err); got != tt.reason {
			t.Errorf("%s: %q, want %q", name, got, tt.reason)
		}
		if f, ok := fault.As(err); ok && !strings.Contains(f.Fix, "commit") {
			t.Errorf("%s: %q does not say what to commit", name, f.Fix)
		}
	}
}
