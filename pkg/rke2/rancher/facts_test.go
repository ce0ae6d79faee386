package rancher_test

import (
	"slices"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
)

// A changed message alone is no progress.
func TestMarks_progress_changed(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*rancher.Facts)
		moved  bool
	}{
		"nothing": {func(*rancher.Facts) {}, false},
		"other words": {func(f *rancher.Facts) {
			f.ControlPlane.Conditions["Ready"] = rancher.Condition{Status: "True", Message: "x"}
		}, false},
		"a generation is observed": {func(f *rancher.Facts) { f.ControlPlane.ObservedGeneration++ }, true},
		"Ready":                    {func(f *rancher.Facts) { f.ControlPlane.Conditions["Ready"] = rancher.Condition{Status: "Unknown"} }, true},
		"a plan is not applied":    {func(f *rancher.Facts) { f.Machines[0].Conditions["PlanApplied"] = rancher.Condition{Status: "Unknown"} }, true},
		"a Machine is reconciled":  {func(f *rancher.Facts) { f.Machines[0].Conditions["Reconciled"] = rancher.Condition{Status: "False"} }, true},
		"another Machine":          {func(f *rancher.Facts) { f.Machines[0].UID = "2" }, true},
		"one is gone":              {func(f *rancher.Facts) { f.Machines = nil }, true},
	} {
		f := rancherfixture.Posted()
		tt.change(&f)
		if same := slices.Equal(f.Marks(), rancherfixture.Posted().Marks()); same == tt.moved {
			t.Errorf("%s: %q", name, f.Marks())
		}
	}
}
