package rancher

import (
	"fmt"
	"time"

	"github.com/rancher/wrangler/v3/pkg/summary"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// Facts is one reading of Rancher's side of a cluster. Every computation of
// this package starts from it and takes no client.
type Facts struct {
	Cluster      Cluster
	ControlPlane ControlPlane
	Machines     []Machine
	// Rancher is Rancher's version, e.g. "v2.8.5"; empty if it may not be read.
	Rancher verify.Read[string]
	// CAPIPaused says that somebody set spec.paused on the CAPI Cluster.
	CAPIPaused bool
	// At is when the reading was made, by this machine's clock. It is compared
	// only with other readings, never with what an API server wrote.
	At time.Time
}

// Cluster is what this package knows of a provisioning.cattle.io/v1 Cluster.
type Cluster struct {
	Namespace, Name, UID string
	ResourceVersion      string // of the reading; edits are for this one
	ManagementID         string // status.clusterName, "c-m-…"
	Spec                 config.Spec
	HasRKEConfig         bool
	Generation           int64
	ObservedGeneration   int64
	Deleting             bool
	Labels, Annotations  map[string]string
	Managers             []string // field managers of spec, e.g. "terraform-provider-rancher2"
	LastWriter           string   // the one that wrote spec last; "": not to be seen
}

// ControlPlane is what this package knows of an RKEControlPlane.
type ControlPlane struct {
	Found              bool
	Generation         int64
	ObservedGeneration int64
	Spec               map[string]any
	AppliedSpec        map[string]any
	Conditions         Conditions
	Paused             bool
	PausedBy           string
	SnapshotGeneration int64  // status.etcdSnapshotCreate.generation
	SnapshotPhase      string // status.etcdSnapshotCreatePhase
	RestorePhase       string
	RotationPhase      string // certificate or key rotation under way
}

// Machine is a cluster.x-k8s.io Machine.
type Machine struct {
	config.Machine // name, UID, labels and the roles they give
	NodeName       string
	Infrastructure string // name of the object that spec.infrastructureRef refers to
	Pool           string
	Deleting       bool
	Phase          string
	Conditions     Conditions
}

// Applying says whether Rancher is at it: it was given a plan that it has not applied.
func (m Machine) Applying() bool {
	for _, kind := range []string{conditionPlanApplied, conditionReconciled} {
		if condition, there := m.Conditions[kind]; there && condition.Status != "True" {
			return true
		}
	}
	return false
}

// Condition is a status condition of any of Rancher's objects.
type Condition struct{ Status, Reason, Message string }

// Conditions by type.
type Conditions map[string]Condition

// True says whether a condition is present and True.
func (c Conditions) True(kind string) bool { return c[kind].Status == "True" }

// Configs are the machines as the configuration package sees them.
func (f Facts) Configs() []config.Machine {
	machines := make([]config.Machine, 0, len(f.Machines))
	for _, m := range f.Machines {
		machines = append(machines, m.Machine)
	}
	return machines
}

// EditMachines are the machines that an edit is computed for: those that exist,
// and one of every pool, so that a pool without machines is edited too.
func (f Facts) EditMachines() []config.Machine {
	return append(f.Configs(), f.Cluster.Spec.PoolMachines()...)
}

// ControlPlanes are the machines that run a control plane.
func (f Facts) ControlPlanes() []Machine {
	var planes []Machine
	for _, m := range f.Machines {
		if m.ControlPlane() {
			planes = append(planes, m)
		}
	}
	return planes
}

func conditionsOf(object map[string]any) Conditions {
	conditions := Conditions{}
	for _, c := range summary.GetUnstructuredConditions(object) {
		conditions[c.Type()] = Condition{Status: c.Status(), Reason: c.Reason(), Message: c.Message()}
	}
	return conditions
}

// Marks change exactly when something moved on Rancher's side, a machine's plan among it.
func (f Facts) Marks() []string {
	plane := f.ControlPlane
	marks := []string{fmt.Sprintf("p %d %s", plane.ObservedGeneration, plane.Conditions[conditionReady].Status)}
	for _, m := range f.Machines {
		marks = append(marks, fmt.Sprintf("m %s %s %s", m.UID, m.Conditions[conditionPlanApplied].Status, m.Conditions[conditionReconciled].Status))
	}
	return marks
}
