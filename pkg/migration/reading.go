package migration

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
)

// Reading holds one reading of a cluster and of its stored configuration. Every computation
// of this package starts from it and needs no client.
type Reading struct {
	Object            string // names the cluster in messages: "Cluster fleet-default/demo"
	ObjectUID         string // of the object that holds the configuration; empty if a file holds it
	Version           string // Kubernetes version in the distribution's notation
	ControlPlaneLabel string // label of the Nodes that must run the CCM
	Members           []Member
	KCMs              []KCM // one per control-plane member
	// ProviderSource names the source of the KCMs' providers, for messages: "last --cloud-provider is".
	ProviderSource string
	// Pending lists the conditions that are still changing or broken in the configuration and its rollout.
	Pending []PendingCondition
	// Recorded reports whether Members and KCMs are only rke's last record, since rke is at
	// work. Nothing then shows their current arguments.
	Recorded bool
	// CordonSkip is the backend's own reason to leave nodes uncordoned, or empty.
	CordonSkip string
	// Owners lists the tools that would restore the old configuration at their next run.
	Owners []Owner

	// Unsupported explains why the procedure does not support this cluster, or is nil.
	Unsupported error
	// Harm reports that the rollout of the configuration would leave the cluster with two
	// managers of the cloud controllers, or with none. Otherwise it is nil.
	Harm error
	// Paused describes the pause that stops rollouts of the cluster, or is empty.
	Paused string
	Roller runner.Roller // rolls an edit out
	// Places holds the configuration by location; see CompareBeginning.
	Places map[string]Place
	// InstalledAs is the method of the chart's present or last installation.
	InstalledAs InstallMethod
	// Snapshot is the state of the etcd snapshot before the first edit.
	Snapshot runner.State

	Down   downstream.Cluster
	Leases lease.Leases // this reading and the previous one
	// StaticPods reports whether kubelets start the kube-controller-managers. A new one may
	// then run before the old one has exited; rke stops the old container first.
	StaticPods bool
	// MayOutlive reports whether a control plane may still run a process from before its last
	// restart, as far as this run has seen.
	MayOutlive bool
	// Stale holds the Nodes that an earlier rename left behind or created.
	Stale map[string]bool
}

// Member describes a machine of the cluster.
type Member struct {
	ID           string // Rancher's Machine UID; empty if the Node's name identifies the machine
	Name         string
	Kind         string // "Machine", "node": for messages
	Nodes        []string
	ControlPlane bool
	Worker       bool
	Deleting     bool
	NeverJoined  bool
	Kubelet      Kubelet
	Why          string // explains why Kubelet is not external, for messages
	// Infrastructure is the name of the object from which Rancher derived the host name, or
	// empty if Rancher did not provision the machine.
	Infrastructure string
}

// KCM describes the kube-controller-manager of one control-plane member.
type KCM struct {
	Member string // name
	Kind   string // the member's
	ID     string // the member's
	Node   string
	// Infrastructure is the member's.
	Infrastructure string
	Known          bool   // its arguments could be read
	Why            string // explains why they could not be read
	Args           component.Args
	Ready          bool
	Hash           string // changes exactly when its manifest does; empty if no manifest can be read
	Started        string // of its container, by its machine's clock; empty if unknown
	Pod            *downstream.Pod
	// Surroundings are its environment and its mounts, which may hold secrets, if Pod is nil.
	Surroundings ccmchart.Surroundings `json:"-"`
	// Mirror reports whether Pod shows the arguments in force; zero if Pod is no mirror pod.
	Mirror component.Mirror
	// Server is the kube-apiserver of the same Node, or nil.
	Server *downstream.Pod
}

// Mode returns the mode of the cloud controllers that the arguments select. Decisions about
// the present use Reading.ModeInForce instead.
func (k KCM) Mode() component.Mode {
	if !k.Known {
		return component.ModeUnknown
	}
	return k.Args.Mode()
}

// ModeInForce returns the present mode of a kube-controller-manager. It is unknown while the
// arguments are only rke's last record.
func (r Reading) ModeInForce(k KCM) component.Mode {
	if r.Recorded {
		return component.ModeUnknown
	}
	return k.Mode()
}

// Provider returns the last --cloud-provider, for messages. Decisions use Mode instead.
func (k KCM) Provider() string { return k.Args.Last(component.CloudProvider) }

// Runs describes the mode in messages: `runs external`, `runs with provider "vsphere"`.
func (k KCM) Runs() string {
	if k.Mode() == component.ModeOther {
		return fmt.Sprintf("runs with provider %q", k.Provider())
	}
	return "runs " + k.Mode().String()
}

// Name returns the component's name for messages.
func (k KCM) Name() string { return "kube-controller-manager of " + k.Kind + " " + k.Member }

// CountControlPlanes counts the control-plane members.
func (r Reading) CountControlPlanes() int {
	n := 0
	for _, m := range r.Members {
		if m.ControlPlane {
			n++
		}
	}
	return n
}

// CountMembers describes the number of control planes and of pure workers, for headers.
func (r Reading) CountMembers() string {
	workers := 0
	for _, m := range r.Members {
		if m.Worker && !m.ControlPlane {
			workers++
		}
	}
	return fault.Count(r.CountControlPlanes(), "control plane") + ", " + fault.Count(workers, "worker")
}

// ControlPlaneNodes returns the Nodes that must run the CCM.
func (r Reading) ControlPlaneNodes() []downstream.Node {
	var nodes []downstream.Node
	for i := range r.Down.Nodes {
		if _, ok := r.Down.Nodes[i].Labels[r.ControlPlaneLabel]; ok {
			nodes = append(nodes, r.Down.Nodes[i])
		}
	}
	return nodes
}

// ServerVersions returns the oldest and the newest version that a kube-apiserver may run.
func (r Reading) ServerVersions() (oldest, newest string) {
	return downstream.ServerVersions(r.Version, r.ControlPlaneNodes(), r.Down.APIPods)
}

// Refs returns the members in the form that package continuity compares.
func (r Reading) Refs() []continuity.MachineRef {
	refs := make([]continuity.MachineRef, 0, len(r.Members))
	for _, m := range r.Members {
		ref := continuity.MachineRef{Name: m.Name, UID: m.ID, Infrastructure: m.Infrastructure, ControlPlane: m.ControlPlane, Deleting: m.Deleting}
		if len(m.Nodes) > 0 {
			ref.Node = m.Nodes[0]
		}
		refs = append(refs, ref)
	}
	return refs
}
