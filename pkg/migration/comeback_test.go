package migration

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// TestNotYetProvenMayPass: a run that has just begun has not seen the lease move,
// and pods end a moment after their DaemonSet; neither ends an undo at once.
func TestNotYetProvenMayPass(t *testing.T) {
	var seen Snapshot
	if f, ok := fault.As(seen.MayComeBack()); !ok || !f.Passing || f.Class != fault.Stale {
		t.Errorf("a lease that nobody was seen to renew: %+v", f)
	}
	seen.Reading.Down.CCMPods = []corev1.Pod{{}}
	if f, ok := fault.As(seen.RequireNoCCM()); !ok || !f.Passing {
		t.Errorf("pods without their DaemonSet: %+v", f)
	}
	seen.Reading.Down.CCMPods = nil
	if err := seen.RequireNoCCM(); err != nil {
		t.Error(err)
	}
}
