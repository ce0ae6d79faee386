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
	AnnotationHost = "rke2.io/hostname"  // repeats the node name, no evidence of the OS host name
	AnnotationOurs = "awsmigrate.io/cordoned-by"

	// What rke writes on Nodes (rancher/rke:k8s/node.go@v1.5.9).
	AnnotationRKEInternal = "rke.cattle.io/internal-ip"
	AnnotationRKEExternal = "rke.cattle.io/external-ip"

	TaintUninitialized = "node.cloudprovider.kubernetes.io/uninitialized"
	TaintShutdown      = "node.cloudprovider.kubernetes.io/shutdown"
	TaintOutOfService  = "node.kubernetes.io/out-of-service"
	TaintUnschedulable = "node.kubernetes.io/unschedulable"
)

// Node is the part of a Node that some rule looks at.
type Node struct {
	Name, UID, ProviderID string
	Labels                map[string]string
	Annotations           map[string]string // only those named above
	Taints                []Taint
	Addresses             []Address
	Unschedulable         bool
	Ready                 Condition
	Network               Condition // NetworkUnavailable
	Kubelet               string    // version
	Created               time.Time // server clock
	ConfigHash            string    `json:"-"` // RKE2's, of the configuration that its service started with
	ECRImages             int       // images from ECR the node has pulled (kubelet lists 50 at most)
}

// Taint is a node taint.
type Taint struct{ Key, Value, Effect string }

// String is "key=value:Effect".
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

// IsReady says whether the node's kubelet says so.
func (n Node) IsReady() bool { return n.Ready.Status == "True" }

// ControlPlane says whether the node carries a control-plane role label:
// RKE2 and kubeadm write control-plane, older ones master, RKE controlplane.
func (n Node) ControlPlane() bool {
	for _, l := range []string{"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/controlplane", "node-role.kubernetes.io/master"} {
		if v, ok := n.Labels[l]; ok && v != "false" {
			return true
		}
	}
	return false
}

// Windows says whether the node runs Windows.
func (n Node) Windows() bool { return n.Labels[LabelOS] == "windows" }

// MachineUID is the Rancher Machine behind the node, "" outside RKE2.
func (n Node) MachineUID() string { return n.Labels[LabelMachine] }

// Zone is the zone label, GA before beta.
func (n Node) Zone() string {
	if z := n.Labels[LabelZone]; z != "" {
		return z
	}
	return n.Labels[LabelZoneBeta]
}

// Taint finds a taint by key.
func (n Node) Taint(key string) (Taint, bool) {
	for _, t := range n.Taints {
		if t.Key == key {
			return t, true
		}
	}
	return Taint{}, false
}

// InternalIPs are the node's addresses of that type.
func (n Node) InternalIPs() []string {
	var ips []string
	for _, a := range n.Addresses {
		if a.Type == "InternalIP" {
			ips = append(ips, a.Address)
		}
	}
	return ips
}

// NodeArgs are RKE2's own arguments on the node: the last value of every flag.
type NodeArgs struct {
	last   map[string]string
	values map[string][]string
}

// NodeArgs reads the node-args annotation. ok is false on a node without it
// (not RKE2, or an agent that never started).
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

// Last is the value that counts.
func (a NodeArgs) Last(name string) string { return a.last[name] }

// Kubelet is the last value of one --kubelet-arg, "" without it.
func (a NodeArgs) Kubelet(name string) string {
	last := ""
	for _, v := range a.values["kubelet-arg"] {
		if k, val, ok := strings.Cut(strings.TrimPrefix(v, "--"), "="); ok && k == name {
			last = val
		}
	}
	return last
}

// KubeletFlags returns the arguments that RKE2 was given for the kubelet, without K3s'
// marks for appending and prepending (k3s-io/k3s:pkg/util/args.go@v1.26.15+k3s1).
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

// KubeletProvider is the --cloud-provider the kubelet ends up with: the last
// kubelet-arg, else RKE2's cloud-provider-name.
func (a NodeArgs) KubeletProvider() string {
	if v := a.Kubelet("cloud-provider"); v != "" {
		return v
	}
	return a.Last("cloud-provider-name")
}
