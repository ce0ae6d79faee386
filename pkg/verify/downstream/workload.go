package downstream

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// Container is the part of a container that says what it runs.
type Container struct {
	Name, Image   string
	Command, Args []string
	Mounts        []Mount
}

// Mount is a volume mount whose content somebody put there.
type Mount struct {
	Path string
	Kind string // "ConfigMap", "Secret", "Projected" (with one of these in it), "HostPath"; others are left out
	Name string
}

// Flags are the container's arguments. RKE2 puts the flags of its static pods
// in args, kubeadm in command.
func (c Container) Flags() component.Args { return component.Parse(c.Command, c.Args) }

// Pod is the part of a pod that some rule looks at.
type Pod struct {
	Namespace, Name, UID string
	Node                 string
	Labels               map[string]string
	Mirror               bool   // made by a kubelet from a file
	ConfigHash           string // annotation kubernetes.io/config.hash
	PodHash              bool   // a container has the environment variable component.PodHash
	Phase                string
	Ready                bool
	Deleting             bool
	Restarts             int32
	Started              time.Time // of the first container, kubelet's clock
	Waiting              string    // reason of the first waiting container
	HostNetwork          bool
	Containers           []Container
	Controller           string // "CloneSet a": who makes it, where it is no kind of Kubernetes itself
	EBS                  bool   `json:",omitempty"` // a volume of it is an awsElasticBlockStore

	// What follows tells why a pod does not run. A run judges by it while it waits; a
	// bundle does not have it.
	FromFile  bool              `json:"-"` // annotation kubernetes.io/config.source is "file"
	Created   time.Time         `json:"-"` // server clock
	Scheduled Condition         `json:"-"` // PodScheduled
	Statuses  []ContainerStatus `json:"-"`
}

// ContainerStatus is how a container of a pod runs, or why it does not.
type ContainerStatus struct {
	ID       string // of the present container, or of the last where none runs; "" where the kubelet knows none
	Image    string
	Ready    bool
	Restarts int32
	Waiting  *Waiting // nil: it does not wait to be started
	Ended    *End     // it has ended and was not started again; nil: it runs, or waits
	Before   *End     // how its last run before this one ended; nil: there was none
}

// Waiting is why a container is not started.
type Waiting struct{ Reason, Message string }

// End is how a container ended.
type End struct {
	ID      string // of the container; "" where the kubelet knows none
	Code    int32
	Reason  string
	Message string    // the end of its log, where the pod asks for that
	At      time.Time // kubelet's clock
}

// Certain says whether this proves that the container's process is gone. A kubelet invents
// an end for a container that it cannot find: with the reason ContainerStatusUnknown, and
// without the container's ID
// (kubernetes/kubernetes:pkg/kubelet/kubelet_pods.go@v1.26.13, lines 1695 to 1705).
func (e End) Certain() bool {
	return e.ID != "" && !e.At.IsZero() && e.Reason != "ContainerStatusUnknown"
}

// HeldBack says whether the container does not run now.
func (s ContainerStatus) HeldBack() bool { return s.Waiting != nil || s.Ended != nil }

// LastEnd is how the container ended last; nil: it never has.
func (s ContainerStatus) LastEnd() *End {
	if s.Ended != nil {
		return s.Ended
	}
	return s.Before
}

// Static says whether the pod was made by a kubelet from a file.
func (p Pod) Static() bool { return p.Mirror || p.FromFile }

// Shows is what tells whether the pod shows the arguments that its static pod runs
// with. kubelet is the version of its Node's.
func (p Pod) Shows(kubelet string) component.Mirror {
	return component.Mirror{Kubelet: kubelet, Hash: p.ConfigHash, PodHash: p.PodHash}
}

// Over says whether the pod has run to its end. A static pod never has: its kubelet
// starts it again.
func (p Pod) Over() bool { return !p.Mirror && (p.Phase == "Succeeded" || p.Phase == "Failed") }

func (p Pod) object() Object { return Object{Kind: "Pod", Namespace: p.Namespace, Name: p.Name} }

// Workload is an object with a pod template that runs a controller manager, or the
// API server beside one, or that has a volume on in-tree EBS. DaemonSets of a CCM are
// DaemonSet.
type Workload struct {
	Object
	Replicas   int32       // pods it wants or still has; 0: none until somebody scales it up or resumes it
	Containers []Container // only of a controller manager or an API server
	EBS        bool        `json:",omitempty"` // a volume of its template is an awsElasticBlockStore
}

// Toleration is a pod toleration.
type Toleration struct{ Key, Operator, Value, Effect string }

// Tolerates says whether the toleration matches the taint (core/v1
// Toleration.ToleratesTaint).
func (t Toleration) Tolerates(taint Taint) bool {
	if t.Effect != "" && t.Effect != taint.Effect || t.Key != "" && t.Key != taint.Key {
		return false
	}
	switch t.Operator {
	case "", "Equal":
		return t.Value == taint.Value
	case "Exists":
		return true
	}
	return false
}

// DaemonSet is a DaemonSet that runs a cloud controller manager.
type DaemonSet struct {
	Object
	UID                                                       string
	NodeSelector                                              map[string]string
	Affinity                                                  bool // has a node affinity, which is not judged here
	Tolerations                                               []Toleration
	HostNetwork                                               bool
	ServiceAccount                                            string
	Selector                                                  map[string]string
	Containers                                                []Container
	Desired, Current, Ready, Updated, Available, Misscheduled int32
	Generation, Observed                                      int64
	Deleting                                                  bool
}

// Selects says whether the node selector matches the node's labels.
func (d DaemonSet) Selects(n Node) bool {
	for k, v := range d.NodeSelector {
		if n.Labels[k] != v {
			return false
		}
	}
	return true
}

// automatic are the taints every DaemonSet pod tolerates (DaemonSet controller,
// AddOrUpdateDaemonPodTolerations, the same 1.21 to 1.34). not-ready is among
// them for NoExecute only.
var automatic = []Toleration{
	{"node.kubernetes.io/not-ready", "Exists", "", "NoExecute"},
	{"node.kubernetes.io/unreachable", "Exists", "", "NoExecute"},
	{"node.kubernetes.io/disk-pressure", "Exists", "", "NoSchedule"},
	{"node.kubernetes.io/memory-pressure", "Exists", "", "NoSchedule"},
	{"node.kubernetes.io/pid-pressure", "Exists", "", "NoSchedule"},
	{TaintUnschedulable, "Exists", "", "NoSchedule"},
}

// MachineDown says whether a taint tells only that its machine does not answer or is
// off: no pod starts there whatever it tolerates, and the taint goes when the machine
// comes back. A Node that somebody set out of service is one of these
// (k8s.io/kubernetes@v1.26.15:pkg/controller/nodelifecycle,
// k8s.io/cloud-provider@v0.26.15:api/well_known_taints.go).
func MachineDown(taintKey string) bool {
	switch taintKey {
	case "node.kubernetes.io/unreachable", "node.kubernetes.io/out-of-service", TaintShutdown:
		return true
	}
	return false
}

// Keeps lists the node's taints that keep the DaemonSet's pods away, but for those
// of a machine that is down.
func (d DaemonSet) Keeps(n Node) []Taint {
	tolerations := append(append([]Toleration{}, automatic...), d.Tolerations...)
	if d.HostNetwork {
		tolerations = append(tolerations, Toleration{"node.kubernetes.io/network-unavailable", "Exists", "", "NoSchedule"})
	}
	var kept []Taint
	for _, taint := range n.Taints {
		if taint.Effect == "PreferNoSchedule" || MachineDown(taint.Key) {
			continue
		}
		tolerated := false
		for _, t := range tolerations {
			tolerated = tolerated || t.Tolerates(taint)
		}
		if !tolerated {
			kept = append(kept, taint)
		}
	}
	return kept
}
