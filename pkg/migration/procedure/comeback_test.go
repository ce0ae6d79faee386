package procedure

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// TestNotYetProvenMayPass: a run that has just begun has not seen the lease move,
// and pods end a moment after their DaemonSet; neither ends an undo at once.
func TestNotYetProvenMayPass(t *testing.T) {
	var snap migration.Snapshot
	if f, ok := fault.As(requireLeaseHeld(snap)); !ok || !f.Transient || f.Class != fault.Stale {
		t.Errorf("a lease that nobody was seen to renew: %+v", f)
	}
	snap.Reading.Down.CCMPods = []downstream.Pod{{}}
	if f, ok := fault.As(requireNoCCM(snap)); !ok || !f.Transient {
		t.Errorf("pods without their DaemonSet: %+v", f)
	}
	snap.Reading.Down.CCMPods = nil
	if err := requireNoCCM(snap); err != nil {
		t.Error(err)
	}
}
