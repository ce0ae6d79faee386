package rancher

import (
	"reflect"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// AtRest lists pending changes and failures on Rancher's side. Writes must wait until the
// list is empty. Rancher reports an edit as applied only when a whole pass of its planner
// has no waiting machine (rancher/rancher:pkg/controllers/capr/planner/controller.go@v2.8.5).
// A control plane that is down would restart with the arguments of today.
func (f Facts) AtRest() []migration.PendingCondition {
	problems := append(f.beaconAtRest(), f.planeAtRest()...)
	for _, m := range f.Machines {
		problems = append(problems, machineAtRest(m)...)
	}
	problems = append(problems, f.poolsAtRest()...)
	if len(problems) == 0 && !f.specCopied() {
		problems = append(problems, pending(specNotCopied, f.clusterSubject()))
	}
	return problems
}

// specCopied reports whether Rancher's asynchronous copy of the configuration gives every
// machine the same settings as the Cluster object. Directly after an edit, no other field
// shows that a rollout will begin.
func (f Facts) specCopied() bool {
	plane, err := f.PlaneSpec()
	if err != nil {
		return false
	}
	for _, m := range f.Machines {
		if !reflect.DeepEqual(config.Effective(f.Cluster.Spec, m.Machine).Values(), config.Effective(plane, m.Machine).Values()) {
			return false
		}
	}
	return f.Cluster.Spec.AdditionalManifest == plane.AdditionalManifest
}

// PlaneSpec returns the configuration that Rancher's planner uses.
func (f Facts) PlaneSpec() (config.Spec, error) {
	return config.Parse(map[string]any{"kind": "RKEControlPlane", "metadata": map[string]any{
		"namespace": f.Cluster.Namespace, "name": f.Cluster.Name}, "spec": f.ControlPlane.Spec})
}

func (f Facts) planeAtRest() []migration.PendingCondition {
	plane := f.ControlPlane
	if !plane.Found {
		return []migration.PendingCondition{pending(planeAbsent, f.planeSubject())}
	}
	var problems []migration.PendingCondition
	add := func(is bool, kind migration.PendingKind, details ...any) {
		if is {
			problems = append(problems, pending(kind, f.planeSubject(), details...))
		}
	}
	add(f.Cluster.Deleting, clusterDeleting)
	problems = append(problems, f.Paused()...)
	add(plane.ObservedGeneration < plane.Generation, specNotObserved, plane.ObservedGeneration, plane.Generation)
	add(!reflect.DeepEqual(plane.Spec, plane.AppliedSpec), specNotApplied)
	problems = append(problems, conditionsPending(planeCondition, f.planeSubject(), plane.Conditions, conditionReady, conditionReconciled)...)
	add(isRunning(plane.SnapshotPhase) || f.Cluster.Spec.SnapshotGeneration > plane.SnapshotGeneration, snapshotUnderWay, underWay(plane.SnapshotPhase))
	add(isRunning(plane.RestorePhase), restoreUnderWay, plane.RestorePhase)
	add(plane.RotationPhase != "" && plane.RotationPhase != "Done" && plane.RotationPhase != "Failed", rotationUnderWay, plane.RotationPhase)
	return problems
}

// Paused returns the conditions that stop Rancher from rolling out edits.
func (f Facts) Paused() []migration.PendingCondition {
	var pauses []migration.PendingCondition
	switch plane := f.ControlPlane; {
	case plane.Paused && plane.PausedBy != "":
		pauses = append(pauses, pending(pausedByRun, f.planeSubject(), plane.PausedBy))
	case plane.Paused:
		pauses = append(pauses, pending(pausedByOther, f.planeSubject(), PausedAnnotation))
	}
	if f.CAPIPaused {
		pauses = append(pauses, pending(capiPaused, f.planeSubject()))
	}
	return pauses
}

func isRunning(phase string) bool {
	return phase != "" && phase != "Finished" && phase != "Failed"
}

// underWay returns the phase of an operation that is requested or runs. A phase that has ended is
// that of the operation before.
func underWay(phase string) string {
	if isRunning(phase) {
		return phase
	}
	return "requested"
}

func machineAtRest(m Machine) []migration.PendingCondition {
	switch {
	case m.Deleting:
		return []migration.PendingCondition{pending(machineDeleting, machineSubject(m.Name))}
	case m.NodeName == "":
		return []migration.PendingCondition{pending(machineWithoutNode, machineSubject(m.Name))}
	}
	return conditionsPending(machineCondition, machineSubject(m.Name), m.Conditions, conditionPlanApplied, conditionReconciled)
}

func (f Facts) poolsAtRest() []migration.PendingCondition {
	have := map[string]int64{}
	for _, m := range f.Machines {
		if !m.Deleting {
			have[m.Pool]++
		}
	}
	var problems []migration.PendingCondition
	for _, pool := range f.Cluster.Spec.Pools {
		if have[pool.Name] == pool.Quantity {
			continue
		}
		problems = append(problems, pending(poolIncomplete, subject{"machine pool", pool.Name}, have[pool.Name], pool.Quantity))
	}
	return problems
}

// NotCopied returns a condition if Rancher's own copy of the configuration lacks an edit, or
// nil. missing returns the locations of a configuration without the edit.
func (f Facts) NotCopied(missing func(config.Spec) ([]string, error)) []migration.PendingCondition {
	copied, err := f.PlaneSpec()
	if err != nil {
		return []migration.PendingCondition{pending(planeUnreadable, f.planeSubject(), err)}
	}
	places, err := missing(copied)
	if err != nil {
		places = []string{err.Error()}
	}
	if len(places) == 0 {
		return nil
	}
	return rankPending([]migration.PendingCondition{pending(editNotCopied, f.planeSubject(), strings.Join(places, ", "))})
}
