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
	var seen migration.Snapshot
	if f, ok := fault.As(mayComeBack(seen)); !ok || !f.Transient || f.Class != fault.Stale {
		t.Errorf("a lease that nobody was seen to renew: %+v", f)
	}
	seen.Reading.Down.CCMPods = []downstream.Pod{{}}
	if f, ok := fault.As(requireNoCCM(seen)); !ok || !f.Transient {
		t.Errorf("pods without their DaemonSet: %+v", f)
	}
	seen.Reading.Down.CCMPods = nil
	if err := requireNoCCM(seen); err != nil {
		t.Error(err)
	}
}
