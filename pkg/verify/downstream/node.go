package downstream

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// Labels, annotations and taints that the rules depend on.
const (
	LabelHostname  = "kubernetes.io/hostname"
	LabelZone      = "topology.kubernetes.io/zone"
	LabelZoneBeta  = "failure-domain.beta.kubernetes.io/zone"
	LabelMachine   = "rke.cattle.io/machine" // Machine UID, set through RKE2's node-label
	LabelOS        = "kubernetes.io/os"
	AnnotationArgs = "rke2.io/node-args" // JSON array, refreshed at service start
	AnnotationHost = "rke2.io/hostname"  // repeats the node name; does not prove the OS host name
	AnnotationOurs = "awsmigrate.io/cordoned-by"

	// Annotations that rke writes on Nodes (rancher/rke:k8s/node.go@v1.5.9).
	AnnotationRKEInternal = "rke.cattle.io/internal-ip"
	AnnotationRKEExternal = "rke.cattle.io/external-ip"

	TaintUninitialized = "node.cloudprovider.kubernetes.io/uninitialized"
	TaintShutdown      = "node.cloudprovider.kubernetes.io/shutdown"
	TaintOutOfService  = "node.kubernetes.io/out-of-service"
	TaintUnschedulable = "node.kubernetes.io/unschedulable"
)

// Node holds the fields of a Node that rules use.
type Node struct {
	Name, UID, ProviderID string
	Labels                map[string]string
	Annotations           map[string]string // only those listed above
	Taints                []Taint
	Addresses             []Address
	Unschedulable         bool
	Ready                 Condition
	Network               Condition // NetworkUnavailable
	Kubelet               string    // version
	Created               time.Time // server clock
	ConfigHash            string    `json:"-"` // hash of the configuration that RKE2's service started with
	ECRImages             int       // ECR images on the node (a kubelet lists at most 50 images)
}

// Taint is a node taint.
type Taint struct{ Key, Value, Effect string }

// String returns "key=value:Effect".
func (t Taint) String() string {
	if t.Value == "" {
		return t.Key + ":" + t.Effect
	}
	return t.Key + "=" + t.Value + ":" + t.Effect
}

// Address is a node address.
type Address struct{ Type, Address string }

// Condition is a node condition.
type Condition struct {
	Status, Reason, Message string
	Since                   time.Time `json:"-"` // server clock; for people
}

// IsReady reports whether the kubelet reports the node as ready.
func (n Node) IsReady() bool { return n.Ready.Status == "True" }

// ControlPlane reports whether the node has a control-plane role label. RKE2 and kubeadm write
// control-plane, older versions master, and RKE controlplane.
func (n Node) ControlPlane() bool {
	for _, l := range []string{"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/controlplane", "node-role.kubernetes.io/master"} {
		if v, ok := n.Labels[l]; ok && v != "false" {
			return true
		}
	}
	return false
}

// Windows reports whether the node runs Windows.
func (n Node) Windows() bool { return n.Labels[LabelOS] == "windows" }

// MachineUID returns the UID of the node's Rancher Machine, or "" outside RKE2.
func (n Node) MachineUID() string { return n.Labels[LabelMachine] }

// Zone returns the zone label. The GA label has precedence over the beta label.
func (n Node) Zone() string {
	if z := n.Labels[LabelZone]; z != "" {
		return z
	}
	return n.Labels[LabelZoneBeta]
}

// Taint returns the taint with this key, or false.
func (n Node) Taint(key string) (Taint, bool) {
	for _, t := range n.Taints {
		if t.Key == key {
			return t, true
		}
	}
	return Taint{}, false
}

// InternalIPs returns the node's addresses of type InternalIP.
func (n Node) InternalIPs() []string {
	var ips []string
	for _, a := range n.Addresses {
		if a.Type == "InternalIP" {
			ips = append(ips, a.Address)
		}
	}
	return ips
}

// NodeArgs holds RKE2's own arguments on the node.
type NodeArgs struct {
	last   map[string]string
	values map[string][]string
}

// NodeArgs parses the node-args annotation. ok is false without it: the node does not run
// RKE2, or it is an agent that never started.
func (n Node) NodeArgs() (args NodeArgs, ok bool, err error) {
	raw, ok := n.Annotations[AnnotationArgs]
	if !ok {
		return NodeArgs{}, false, nil
	}
	var words []string
	if err := json.Unmarshal([]byte(raw), &words); err != nil {
		return NodeArgs{}, true, fmt.Errorf("annotation %s: %w", AnnotationArgs, err)
	}
	args = NodeArgs{last: map[string]string{}, values: map[string][]string{}}
	for i := 0; i < len(words); i++ {
		name, isFlag := strings.CutPrefix(words[i], "--")
		if !isFlag {
			continue
		}
		name, value, has := strings.Cut(name, "=")
		if !has && i+1 < len(words) && !strings.HasPrefix(words[i+1], "--") {
			i++
			value = words[i]
		}
		args.last[name] = value
		args.values[name] = append(args.values[name], value)
	}
	return args, true, nil
}

// Last returns the last value of the flag, or "".
func (a NodeArgs) Last(name string) string { return a.last[name] }

// Kubelet returns the last value of a --kubelet-arg, or "".
func (a NodeArgs) Kubelet(name string) string {
	last := ""
	for _, v := range a.values["kubelet-arg"] {
		if k, val, ok := strings.Cut(strings.TrimPrefix(v, "--"), "="); ok && k == name {
			last = val
		}
	}
	return last
}

// KubeletFlags returns the kubelet arguments given to RKE2, without K3s' marks for appending
// and prepending (k3s-io/k3s:pkg/util/args.go@v1.26.15+k3s1).
func (a NodeArgs) KubeletFlags() component.Args {
	words := make([]string, 0, len(a.values["kubelet-arg"]))
	for _, v := range a.values["kubelet-arg"] {
		name, value, has := strings.Cut(strings.TrimLeft(v, "-"), "=")
		word := "--" + strings.TrimRight(name, "-+")
		if has {
			word += "=" + value
		}
		words = append(words, word)
	}
	return component.Parse(words)
}

// KubeletProvider returns the kubelet's effective --cloud-provider: the last kubelet-arg, else
// RKE2's cloud-provider-name.
func (a NodeArgs) KubeletProvider() string {
	if v := a.Kubelet("cloud-provider"); v != "" {
		return v
	}
	return a.Last("cloud-provider-name")
}
