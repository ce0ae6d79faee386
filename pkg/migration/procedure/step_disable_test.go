package procedure

import (
	"errors"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// disable-leader-migration begins behind the hand-over. A process that takes it up when
// the migration lease, which shows that, is gone already judges the CCM's restarts all the
// same. On a way back they are no reason for a brake.
func TestRestartsBehindTheRemovedLease(t *testing.T) {
	for name, tt := range map[string]struct {
		step journal.StepID
		back bool
		want string
	}{
		"taken up in disable-leader-migration": {migration.StepDisable, false, "CCMRestarts"},
		"in the undo of it":                    {migration.StepUndoDisable, true, ""},
		"before the hand-over":                 {migration.StepInstall, false, ""},
	} {
		var g guard.Guard
		snap := clustertest.At(position.P4)
		snap.Back = tt.back
		snap.Reading.Leases.Migration = lease.Series{}
		if err := g.Judge(signalsOf(tt.step, snap)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		clustertest.SetRestarts(&snap.Reading.Down.CCMPods[0], 1)
		err, got := g.Judge(signalsOf(tt.step, snap)), ""
		if f := (*fault.Error)(nil); errors.As(err, &f) {
			got = f.Reason
		}
		if got != tt.want {
			t.Errorf("%s: %v, wanted %q", name, err, tt.want)
		}
	}
}
