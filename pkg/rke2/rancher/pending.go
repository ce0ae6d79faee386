package rancher

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// Kinds of pending conditions on Rancher's side.
const (
	planeAbsent        migration.PendingKind = "ControlPlaneAbsent"
	planeUnreadable    migration.PendingKind = "ControlPlaneUnreadable"
	planeCondition     migration.PendingKind = "ControlPlaneCondition"
	clusterDeleting    migration.PendingKind = "ClusterDeleting"
	pausedByRun        migration.PendingKind = "PausedByRun"
	pausedByOther      migration.PendingKind = "PausedByOther"
	capiPaused         migration.PendingKind = "CAPIPaused"
	beaconAbsent       migration.PendingKind = "BeaconAbsent"
	beaconHeld         migration.PendingKind = "BeaconHeld"
	specNotCopied      migration.PendingKind = "SpecNotCopied"
	editNotCopied      migration.PendingKind = "EditNotCopied"
	specNotObserved    migration.PendingKind = "SpecNotObserved"
	specNotApplied     migration.PendingKind = "SpecNotApplied"
	snapshotUnderWay   migration.PendingKind = "SnapshotUnderWay"
	restoreUnderWay    migration.PendingKind = "RestoreUnderWay"
	rotationUnderWay   migration.PendingKind = "RotationUnderWay"
	machineDeleting    migration.PendingKind = "MachineDeleting"
	machineWithoutNode migration.PendingKind = "MachineWithoutNode"
	machineNodeGone    migration.PendingKind = "MachineNodeGone"
	machineCondition   migration.PendingKind = "MachineCondition"
	poolIncomplete     migration.PendingKind = "PoolIncomplete"
)

// Condition types of Rancher's RKEControlPlane and of its Machines
// (rancher/rancher:pkg/capr/common.go@v2.8.5).
const (
	conditionReady       = "Ready"
	conditionReconciled  = "Reconciled"
	conditionPlanApplied = "PlanApplied"
)

// sentence holds the texts of a kind: the current state, with format verbs for its details,
// and the wanted state.
type sentence struct{ state, wanted string }

// sentenceOf returns the texts of a kind. Status conditions have their own texts.
func sentenceOf(kind migration.PendingKind) sentence {
	switch kind {
	case planeAbsent:
		return sentence{"does not exist", "Rancher's copy of the cluster's configuration"}
	case planeUnreadable:
		return sentence{"%v", "a readable copy of the configuration"}
	case clusterDeleting:
		return sentence{"the Cluster is being deleted", "a cluster that stays"}
	case pausedByRun:
		return sentence{"paused by awsmigrate (%s)", "not paused"}
	case pausedByOther:
		return sentence{"paused by annotation %s", "not paused"}
	case capiPaused:
		return sentence{"the CAPI Cluster is paused", "not paused"}
	case beaconAbsent:
		return sentence{"does not exist: Rancher's planner waits for it and does nothing", "the Beacon that Rancher creates for the cluster"}
	case beaconHeld:
		return sentence{"held by %q: Rancher's planner waits until that operation ends", "no owner, or Rancher's planner"}
	case specNotCopied:
		return sentence{"Rancher has not copied its configuration to the RKEControlPlane yet", "the same configuration in both"}
	case editNotCopied:
		return sentence{"Rancher has not copied the edit yet: %s", "the edit"}
	case specNotObserved:
		return sentence{"observedGeneration %d of %d", "the newest generation observed"}
	case specNotApplied:
		return sentence{"an edit is not applied everywhere yet (appliedSpec differs from spec)", "appliedSpec equal to spec"}
	case snapshotUnderWay:
		return sentence{"an etcd snapshot is under way (%s)", "no snapshot under way"}
	case restoreUnderWay:
		return sentence{"an etcd restore is under way (%s)", "no restore under way"}
	case rotationUnderWay:
		return sentence{"encryption keys are being rotated (%s)", "no rotation under way"}
	case machineDeleting:
		return sentence{"is being deleted", "gone, or here to stay"}
	case machineWithoutNode:
		return sentence{"has no Node yet", "status.nodeRef"}
	case machineNodeGone:
		return sentence{"its Node %s is gone: it was deleted", "its Node"}
	case poolIncomplete:
		return sentence{"%d of %d Machines", "its replicas"}
	}
	return sentence{"is not at rest", "at rest"}
}

// subject identifies the object of a pending condition.
type subject struct{ kind, name string }

func (s subject) String() string { return s.kind + " " + s.name }

func (f Facts) clusterSubject() subject {
	return subject{"Cluster", f.Cluster.Namespace + "/" + f.Cluster.Name}
}

func (f Facts) planeSubject() subject {
	return subject{"RKEControlPlane", f.Cluster.Namespace + "/" + f.Cluster.Name}
}

func machineSubject(name string) subject { return subject{"Machine", name} }

// pending returns a condition that keeps Rancher's side from being at rest.
func pending(kind migration.PendingKind, on subject, details ...any) migration.PendingCondition {
	s := sentenceOf(kind)
	return migration.PendingCondition{Kind: kind, Object: on.String(), Name: on.name, Seen: fmt.Sprintf(s.state, details...), Wanted: s.wanted,
		OurPause: kind == pausedByRun}
}

// conditionsPending returns a pending condition for each of types that is not True.
func conditionsPending(kind migration.PendingKind, on subject, have Conditions, types ...string) []migration.PendingCondition {
	var found []migration.PendingCondition
	for _, name := range types {
		if c := have[name]; c.Status != "True" {
			found = append(found, conditionPending(kind, on, name, c))
		}
	}
	return found
}

func conditionPending(kind migration.PendingKind, on subject, name string, c Condition) migration.PendingCondition {
	state := name + "=" + c.Status
	switch {
	case c.Status == "":
		state = "condition " + name + " is missing"
	case c.Message != "":
		state += ": " + c.Message
	}
	return migration.PendingCondition{Kind: kind, Object: on.String(), Name: on.name, Seen: state, Wanted: name + "=True",
		Condition: migration.Condition{Type: name, Status: c.Status, Reason: c.Reason, Message: c.Message}}
}
