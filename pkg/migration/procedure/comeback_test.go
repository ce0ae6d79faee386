package procedure

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// A new run has not seen the lease change yet, and pods end a moment after their DaemonSet.
// Neither fails an undo at once.
func TestUndo_unprovenLeaseOrPods_transient(t *testing.T) {
	var snap migration.Snapshot
	if f, ok := fault.As(requireLeaseHeld(snap)); !ok || !f.Transient || f.Class != fault.Stale {
		t.Errorf("a lease without an observed renewal: %+v", f)
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
