package rancher

import (
	"errors"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

func TestPending_kind_sentence(t *testing.T) {
	on := subject{"RKEControlPlane", "fleet-default/demo"}
	for _, tt := range []struct {
		open         migration.PendingCondition
		seen, wanted string
	}{
		{pending(planeAbsent, on), "does not exist", "Rancher's copy of the cluster's configuration"},
		{pending(planeUnreadable, on, errors.New("no mapping")), "no mapping", "a readable copy of the configuration"},
		{pending(clusterDeleting, on), "the Cluster is being deleted", "a cluster that stays"},
		{pending(pausedByRun, on, "run"), "paused by awsmigrate (run)", "not paused"},
		{pending(pausedByOther, on, "a/b"), "paused by annotation a/b", "not paused"},
		{pending(capiPaused, on), "the CAPI Cluster is paused", "not paused"},
		{pending(beaconAbsent, on), "does not exist: Rancher's planner waits for it and does nothing", "the Beacon that Rancher creates for the cluster"},
		{pending(beaconHeld, on, "x"), `held by "x": Rancher's planner waits until that operation ends`, "no owner, or Rancher's planner"},
		{pending(specNotCopied, on), "Rancher has not copied its configuration to the RKEControlPlane yet", "the same configuration in both"},
		{pending(editNotCopied, on, "x"), "Rancher has not copied the edit yet: x", "the edit"},
		{pending(specNotObserved, on, int64(1), int64(2)), "observedGeneration 1 of 2", "the newest generation observed"},
		{pending(specNotApplied, on), "an edit is not applied everywhere yet (appliedSpec differs from spec)", "appliedSpec equal to spec"},
		{pending(snapshotUnderWay, on, "Started"), "an etcd snapshot is under way (Started)", "no snapshot under way"},
		{pending(restoreUnderWay, on, "Started"), "an etcd restore is under way (Started)", "no restore under way"},
		{pending(rotationUnderWay, on, "Rotate"), "encryption keys are being rotated (Rotate)", "no rotation under way"},
		{pending(machineDeleting, on), "is being deleted", "gone, or here to stay"},
		{pending(machineWithoutNode, on), "has no Node yet", "status.nodeRef"},
		{pending(machineNodeGone, on, "n"), "its Node n is gone: it was deleted", "its Node"},
		{pending(poolIncomplete, on, int64(1), int64(2)), "1 of 2 Machines", "its replicas"},
		{conditionPending(planeCondition, on, "Ready", Condition{}), "condition Ready is missing", "Ready=True"},
		{conditionPending(planeCondition, on, "Ready", Condition{Status: "False"}), "Ready=False", "Ready=True"},
		{conditionPending(planeCondition, on, "Ready", Condition{Status: "False", Message: "a: b"}), "Ready=False: a: b", "Ready=True"},
	} {
		if tt.open.Seen != tt.seen || tt.open.Wanted != tt.wanted || tt.open.Object != "RKEControlPlane fleet-default/demo" {
			t.Errorf("%s: %q, wanted %q", tt.open.Kind, tt.open.Seen, tt.open.Wanted)
		}
		if tt.open.OurPause != (tt.open.Kind == pausedByRun) {
			t.Errorf("%s: taken for the pause of a run: %t", tt.open.Kind, tt.open.OurPause)
		}
	}
}
