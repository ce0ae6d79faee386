package downstream

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// Container holds the fields of a container that show what it runs.
type Container struct {
	Name, Image   string
	Command, Args []string
	Mounts        []Mount
	// Env holds the variables of a static kube-controller-manager, which may be secret. Runs use
	// them; a bundle does not contain them.
	Env []Variable `json:"-"`
}

// Variable is an environment variable.
type Variable struct{ Name, Value string }

// Mount is a volume mount with content from the API or the host.
type Mount struct {
	Path string
	Kind string // "ConfigMap", "Secret", "Projected" (containing one of them), or "HostPath"
	Name string
}

// Flags parses the container's command and arguments. RKE2 puts the flags of its static pods
// in args, kubeadm in command.
func (c Container) Flags() component.Args { return component.Parse(c.Command, c.Args) }

// Pod holds the fields of a pod that rules use.
type Pod struct {
	Namespace, Name, UID string
	Node                 string
	Labels               map[string]string
	Mirror               bool   // created by a kubelet for a file
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
	Controller           string // "CloneSet a": its owner, if that is not a built-in kind
	EBS                  bool   `json:",omitempty"` // has an awsElasticBlockStore volume
	ECR                  bool   `json:",omitempty"` // has an image from ECR
	PullSecrets          bool   `json:",omitempty"` // has imagePullSecrets

	// The following fields explain why a pod does not run. Runs use them while they wait; a
	// bundle does not contain them.
	FromFile  bool              `json:"-"` // annotation kubernetes.io/config.source is "file"
	Created   time.Time         `json:"-"` // server clock
	Scheduled Condition         `json:"-"` // PodScheduled
	Statuses  []ContainerStatus `json:"-"`
}

// ContainerStatus describes how a container runs, or why it does not.
type ContainerStatus struct {
	ID       string // of the current container, else of the last one, or "" if the kubelet reports none
	Image    string
	Ready    bool
	Restarts int32
	Waiting  *Waiting // why it is not started yet, or nil
	Ended    *End     // how it ended without a restart, or nil
	Before   *End     // how the previous run ended, or nil
}

// Waiting holds why a container is not started.
type Waiting struct{ Reason, Message string }

// End describes how a container ended.
type End struct {
	ID      string // of the container, or "" if the kubelet reports none
	Code    int32
	Reason  string
	Message string    // termination message, which can be the end of the log
	At      time.Time // kubelet's clock
}

// Certain reports whether the end proves that the container's process is gone. For a container
// that it cannot find, a kubelet invents an end with the reason ContainerStatusUnknown and
// without an ID (kubernetes/kubernetes:pkg/kubelet/kubelet_pods.go@v1.26.13, lines 1695 to
// 1705).
func (e End) Certain() bool {
	return e.ID != "" && !e.At.IsZero() && e.Reason != "ContainerStatusUnknown"
}

// HeldBack reports whether the container is not running.
func (s ContainerStatus) HeldBack() bool { return s.Waiting != nil || s.Ended != nil }

// LastEnd returns how the container last ended, or nil if it never has.
func (s ContainerStatus) LastEnd() *End {
	if s.Ended != nil {
		return s.Ended
	}
	return s.Before
}

// Static reports whether a kubelet created the pod from a file.
func (p Pod) Static() bool { return p.Mirror || p.FromFile }

// Shows returns the facts that decide whether the pod shows the current arguments of its
// static pod. kubelet is the version of its Node's kubelet.
func (p Pod) Shows(kubelet string) component.Mirror {
	return component.Mirror{Kubelet: kubelet, Hash: p.ConfigHash, PodHash: p.PodHash}
}

// Over reports whether the pod has ended. A static pod has not: its kubelet restarts it.
func (p Pod) Over() bool { return !p.Mirror && (p.Phase == "Succeeded" || p.Phase == "Failed") }

func (p Pod) object() Object { return Object{Kind: "Pod", Namespace: p.Namespace, Name: p.Name} }

// Workload is an object with a pod template that runs a controller manager or an API server,
// or that has an in-tree EBS volume, an image from ECR, or the EBS CSI driver. DaemonSets of a CCM are of type
// DaemonSet instead.
type Workload struct {
	Object
	Replicas   int32       // pods it wants or still has
	Containers []Container // only of a controller manager or an API server
	EBS        bool        `json:",omitempty"` // its template has an awsElasticBlockStore volume
	ECR        bool        `json:",omitempty"` // its template has an image from ECR
	// PullSecrets reports whether its template or its ServiceAccount gives its pods
	// imagePullSecrets.
	PullSecrets bool       `json:",omitempty"`
	EBSDriver   *EBSDriver `json:",omitempty"` // if its template runs the EBS CSI driver, or nil

	// The following fields find a pod of the template. A bundle does not contain them.
	PodLabels      map[string]string `json:"-"`
	ServiceAccount string            `json:"-"`
}

// Toleration is a pod toleration.
type Toleration struct{ Key, Operator, Value, Effect string }

// Tolerates reports whether the toleration matches the taint (core/v1
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
	Affinity                                                  bool // has a node affinity, which Selects ignores
	Tolerations                                               []Toleration
	HostNetwork                                               bool
	ServiceAccount                                            string
	Selector                                                  map[string]string
	Containers                                                []Container
	Desired, Current, Ready, Updated, Available, Misscheduled int32
	Generation, Observed                                      int64
	Deleting                                                  bool
	OnDelete                                                  bool `json:",omitempty"` // does not replace its pods
}

// Selects reports whether the node selector matches the node's labels.
func (d DaemonSet) Selects(n Node) bool {
	for k, v := range d.NodeSelector {
		if n.Labels[k] != v {
			return false
		}
	}
	return true
}

// daemonTolerations holds the tolerations that every DaemonSet pod gets (DaemonSet controller,
// AddOrUpdateDaemonPodTolerations, the same from 1.21 to 1.34). It contains not-ready for
// NoExecute only.
var daemonTolerations = []Toleration{
	{"node.kubernetes.io/not-ready", "Exists", "", "NoExecute"},
	{"node.kubernetes.io/unreachable", "Exists", "", "NoExecute"},
	{"node.kubernetes.io/disk-pressure", "Exists", "", "NoSchedule"},
	{"node.kubernetes.io/memory-pressure", "Exists", "", "NoSchedule"},
	{"node.kubernetes.io/pid-pressure", "Exists", "", "NoSchedule"},
	{TaintUnschedulable, "Exists", "", "NoSchedule"},
}

// MachineDown reports whether a taint only means that the machine does not respond or is off.
// Such a machine starts no pod, whatever the pod tolerates. The taint disappears when the
// machine comes back. The out-of-service taint that an administrator sets counts too
// (k8s.io/kubernetes@v1.26.15:pkg/controller/nodelifecycle,
// k8s.io/cloud-provider@v0.26.15:api/well_known_taints.go).
func MachineDown(taintKey string) bool {
	switch taintKey {
	case "node.kubernetes.io/unreachable", "node.kubernetes.io/out-of-service", TaintShutdown:
		return true
	}
	return false
}

// Keeps returns the node's taints that repel the DaemonSet's pods, without those of a machine
// that is down.
func (d DaemonSet) Keeps(n Node) []Taint {
	tolerations := append(append([]Toleration{}, daemonTolerations...), d.Tolerations...)
	if d.HostNetwork {
		tolerations = append(tolerations, Toleration{"node.kubernetes.io/network-unavailable", "Exists", "", "NoSchedule"})
	}
	var repelling []Taint
	for _, taint := range n.Taints {
		if taint.Effect == "PreferNoSchedule" || MachineDown(taint.Key) {
			continue
		}
		tolerated := false
		for _, t := range tolerations {
			tolerated = tolerated || t.Tolerates(taint)
		}
		if !tolerated {
			repelling = append(repelling, taint)
		}
	}
	return repelling
}
