package rancher

import (
	"fmt"
	"time"

	"github.com/rancher/wrangler/v3/pkg/summary"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// Facts holds one reading of Rancher's objects about a cluster. Every computation of this
// package takes Facts and no client.
type Facts struct {
	Cluster      Cluster
	ControlPlane ControlPlane
	Machines     []Machine
	// Rancher holds Rancher's version, e.g. "v2.8.5", or a read error.
	Rancher verify.Read[string]
	// Beacon holds the owner of the cluster's machine plans.
	Beacon Beacon
	// CAPIPaused reports whether the CAPI Cluster has spec.paused or the pause annotation.
	CAPIPaused bool
	// At is the time of the reading by this machine's clock. It must only be compared with
	// other readings, never with times of an API server.
	At time.Time
}

// Cluster describes a provisioning.cattle.io/v1 Cluster.
type Cluster struct {
	Namespace, Name, UID string
	ResourceVersion      string // version of the reading; precondition of every edit
	ManagementID         string // status.clusterName, "c-m-…"
	Spec                 config.Spec
	HasRKEConfig         bool
	Generation           int64
	ObservedGeneration   int64
	Deleting             bool
	Labels, Annotations  map[string]string
	Managers             []string // field managers of spec, e.g. "terraform-provider-rancher2"
	LastWriter           string   // field manager of the last write to spec, or empty if unknown
}

// ControlPlane describes an RKEControlPlane.
type ControlPlane struct {
	Found              bool
	ResourceVersion    string
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

// Machine describes a cluster.x-k8s.io Machine. Of the conditions it holds PlanApplied and
// Reconciled, which Rancher writes. Others change their meaning with the version of the API.
type Machine struct {
	config.Machine // name, UID, labels and roles
	NodeName       string
	Infrastructure string // name of the object that spec.infrastructureRef refers to
	Pool           string
	Deleting       bool
	Phase          string
	Conditions     Conditions
}

// Applying reports whether the machine has a plan that it has not applied yet.
func (m Machine) Applying() bool {
	for _, kind := range []string{conditionPlanApplied, conditionReconciled} {
		if condition, found := m.Conditions[kind]; found && condition.Status != "True" {
			return true
		}
	}
	return false
}

// Condition holds a status condition of a Rancher object.
type Condition struct{ Status, Reason, Message string }

// Conditions holds conditions by type.
type Conditions map[string]Condition

// True reports whether a condition is present and True.
func (c Conditions) True(kind string) bool { return c[kind].Status == "True" }

// Configs returns the machines as values of the configuration package.
func (f Facts) Configs() []config.Machine {
	machines := make([]config.Machine, 0, len(f.Machines))
	for _, m := range f.Machines {
		machines = append(machines, m.Machine)
	}
	return machines
}

// EditMachines returns the machines to compute an edit for. Besides the existing ones, it
// holds one machine per pool, so that an edit also covers pools without machines.
func (f Facts) EditMachines() []config.Machine {
	return append(f.Configs(), f.Cluster.Spec.PoolMachines()...)
}

// ControlPlanes returns the machines that run a control plane.
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

// machineConditions returns the conditions of a Machine that Rancher writes. With v1beta2 they are
// in either place, or in both (rancher/rancher:pkg/capr/common.go@v2.15.0). A condition that is
// not True in one place is not True.
func machineConditions(object map[string]any) Conditions {
	deprecated, _, _ := unstructured.NestedMap(object, "status", "deprecated", "v1beta1")
	conditions := Conditions{}
	for _, place := range []Conditions{conditionsOf(object), conditionsOf(map[string]any{"status": deprecated})} {
		for _, kind := range []string{conditionPlanApplied, conditionReconciled} {
			if c, found := place[kind]; found && (conditions[kind].Status == "" || c.Status != "True") {
				conditions[kind] = c
			}
		}
	}
	return conditions
}

// Marks returns texts that change if and only if Rancher or a machine made progress.
func (f Facts) Marks() []string {
	plane := f.ControlPlane
	marks := []string{fmt.Sprintf("p %d %s", plane.ObservedGeneration, plane.Conditions[conditionReady].Status)}
	for _, m := range f.Machines {
		marks = append(marks, fmt.Sprintf("m %s %s %s", m.UID, m.Conditions[conditionPlanApplied].Status, m.Conditions[conditionReconciled].Status))
	}
	return marks
}
