package migration

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
)

// Reading is one reading of a cluster and of where its configuration is kept.
// Every computation of this package starts from it and takes no client.
type Reading struct {
	Object            string // the cluster in messages: "Cluster fleet-default/demo"
	ObjectUID         string // of the object that holds the configuration; "": a file does
	Version           string // Kubernetes version as its distribution writes it
	ControlPlaneLabel string // label of the Nodes that the CCM has to run on
	Members           []Member
	KCMs              []KCM // one for every control-plane member
	// ProviderSource says where the providers of KCMs were read: "last --cloud-provider is".
	ProviderSource string
	// Pending is what still moves, or is broken, on the configuration's side.
	Pending []PendingCondition
	// Recorded reports that Members and KCMs are as rke recorded them last, while it is at
	// work: nothing shows what they run now.
	Recorded bool
	// CordonSkip is the backend's own reason to leave nodes uncordoned; "": none.
	CordonSkip string
	// Owners would put the old configuration back at their next run.
	Owners []Owner

	// Unsupported refuses a cluster that the procedure does not fit; nil: it fits.
	Unsupported error
	// Harm says that the configuration, rolled out next to the cluster as it is, makes two
	// managers of the cloud controllers, or none; nil: it does not.
	Harm error
	// Paused names what keeps the cluster from being rolled, or is empty.
	Paused string
	Roller runner.Roller // who rolls an edit out
	// Places is the configuration by location; see CompareBeginning.
	Places map[string]Place
	// InstalledAs is how the chart is, or last was, in the cluster.
	InstalledAs InstallMethod
	// Snapshot is how far the etcd snapshot before the first edit is.
	Snapshot runner.State

	Down   downstream.Cluster
	Leases lease.Leases // this reading and the one before it
	// StaticPods reports whether kubelets start the kube-controller-managers: a new one may
	// run before the one that it replaces has ended. rke stops a container first.
	StaticPods bool
	// MayOutlive: a process of a control plane from before its last restart may still
	// run, for all that this run has seen.
	MayOutlive bool
	// Stale are Nodes that a rename before this run left behind, or made.
	Stale map[string]bool
}

// Member is a machine of the cluster, whatever its side calls it.
type Member struct {
	ID           string // Rancher's Machine UID; "" where the Node's name identifies it
	Name         string
	Kind         string // "Machine", "node": for messages
	Nodes        []string
	ControlPlane bool
	Worker       bool
	Deleting     bool
	NeverJoined  bool
	Kubelet      Kubelet
	Why          string // why Kubelet is not external, for messages
	// Infrastructure is the name of the object of which Rancher made its host's name; "":
	// Rancher did not make it.
	Infrastructure string
}

// KCM is the kube-controller-manager of one control-plane member.
type KCM struct {
	Member string // name
	Kind   string // the member's
	ID     string // the member's
	Node   string
	// Infrastructure is the member's.
	Infrastructure string
	Known          bool   // its arguments could be read
	Why            string // why not
	Args           component.Args
	Ready          bool
	Hash           string // changes exactly when its manifest does; "" where none can be seen
	Started        string // of its container, by its machine's clock; "" where not seen
	Pod            *downstream.Pod
	// Mirror tells whether Pod shows the arguments in force; zero where it is none.
	Mirror component.Mirror
	// Server is the kube-apiserver of the same Node; nil: none is seen.
	Server *downstream.Pod
}

// Mode returns how it runs the cloud controllers, as far as its arguments show. What must
// hold at this moment is decided by Reading.ModeInForce.
func (k KCM) Mode() component.Mode {
	if !k.Known {
		return component.ModeUnknown
	}
	return k.Args.Mode()
}

// ModeInForce returns the mode that a kube-controller-manager runs in now. It is unknown
// while the mode is only what rke recorded before it began to work.
func (r Reading) ModeInForce(k KCM) component.Mode {
	if r.Recorded {
		return component.ModeUnknown
	}
	return k.Mode()
}

// Provider returns the last --cloud-provider, for messages. Decisions take Mode.
func (k KCM) Provider() string { return k.Args.Last(component.CloudProvider) }

// Runs describes the mode in messages: `runs external`, `runs with provider "vsphere"`.
func (k KCM) Runs() string {
	if k.Mode() == component.ModeOther {
		return fmt.Sprintf("runs with provider %q", k.Provider())
	}
	return "runs " + k.Mode().String()
}

// Name is the component in messages.
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

// CountMembers says how many members there are, for headers: those with a control
// plane, and those that are workers only.
func (r Reading) CountMembers() string {
	workers := 0
	for _, m := range r.Members {
		if m.Worker && !m.ControlPlane {
			workers++
		}
	}
	return fmt.Sprintf("%d control planes, %d workers", r.CountControlPlanes(), workers)
}

// ControlPlaneNodes are the Nodes that the CCM has to run on.
func (r Reading) ControlPlaneNodes() []downstream.Node {
	var nodes []downstream.Node
	for i := range r.Down.Nodes {
		if _, ok := r.Down.Nodes[i].Labels[r.ControlPlaneLabel]; ok {
			nodes = append(nodes, r.Down.Nodes[i])
		}
	}
	return nodes
}

// Refs are the members as continuity compares them.
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
