package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// NodeArgsAnnotation is the annotation on a Node with the arguments that RKE2 was started with,
// including its configuration files (k3s-io/k3s:pkg/nodeconfig/nodeconfig.go). RKE2 writes it
// when the service starts.
const NodeArgsAnnotation = "rke2.io/node-args"

// masked replaces secrets in RKE2's annotation.
const masked = "********"

// NodeArgs holds the arguments of an RKE2 service.
type NodeArgs struct {
	Command string // "server" or "agent"
	flags   map[string][]string
}

// ParseNodeArgs parses the annotation: a JSON list in which flags and their values are separate
// elements.
func ParseNodeArgs(annotation string) (NodeArgs, error) {
	var list []string
	if err := json.Unmarshal([]byte(annotation), &list); err != nil || list == nil {
		return NodeArgs{}, &fault.Error{
			Class: fault.Check, Reason: "BadNodeArgs", Object: "annotation " + NodeArgsAnnotation,
			Seen: "not a JSON list of strings", Wanted: "what RKE2 writes at start", Err: err,
		}
	}
	n := NodeArgs{flags: map[string][]string{}}
	for i := 0; i < len(list); i++ {
		name, value, joined := strings.Cut(strings.TrimLeft(list[i], "-"), "=")
		switch {
		case !strings.HasPrefix(list[i], "-"):
			if n.Command == "" && len(n.flags) == 0 {
				n.Command = list[i]
			}
			continue
		case joined:
		case i+1 < len(list) && (IsArgs(name) || !strings.HasPrefix(list[i+1], "-")):
			i++
			value = list[i]
		default:
			value = "true"
		}
		n.flags[name] = append(n.flags[name], value)
	}
	return n, nil
}

// All returns every value of a flag, in order.
func (n NodeArgs) All(flag string) []string { return n.flags[flag] }

// Last returns the effective value of a flag; ok is false if the flag is missing.
func (n NodeArgs) Last(flag string) (string, bool) {
	all := n.flags[flag]
	if len(all) == 0 {
		return "", false
	}
	return all[len(all)-1], true
}

// HasNodeName reports whether RKE2 was given the Node's name, so that the name depends on neither
// EC2 nor the operating system. This holds up to RKE2 1.29.10, 1.30.6 and 1.31.2; in later
// releases EC2's name wins if cloud-provider-name is aws.
func (n NodeArgs) HasNodeName(nodeName string) bool {
	v, ok := n.Last(KeyNodeName)
	return ok && nodeName != "" && v == nodeName
}

// Difference is a key whose value on a node differs from the cluster's configuration.
type Difference struct {
	Key    string
	Node   []string // the service's arguments
	Wanted []string // Rancher's configuration
}

// String formats the difference for people. Values of the cloud configuration are paths here.
func (d Difference) String() string {
	return fmt.Sprintf("%s: runs with %v, configured %v", d.Key, d.Node, d.Wanted)
}

// Explained compares the arguments of a node's service with its effective configuration, for the
// keys that a migration writes or relies on. The machine's own files in config.yaml.d override
// Rancher's and appear here. Argument lists are compared as sets, without Rancher's additions.
func Explained(n NodeArgs, c Config) []Difference {
	var out []Difference
	differ := func(key string, node, wanted []string) {
		out = append(out, Difference{key, node, wanted})
	}
	if node, wanted := n.flags[KeyProvider], c.Text(KeyProvider); lastValue(node) != wanted {
		differ(KeyProvider, node, []string{wanted})
	}
	// Rancher writes the text to a file and passes its path to RKE2.
	if node, wanted := n.flags[KeyCloudConfig], c.Text(KeyCloudConfig); (lastValue(node) != "") != (wanted != "") {
		differ(KeyCloudConfig, node, []string{"a file: " + fmt.Sprint(wanted != "")})
	}
	if node, wanted := n.flags[KeyDisableCCM], c.Text(KeyDisableCCM); notation.IsTrue(lastValue(node)) != notation.IsTrue(wanted) {
		differ(KeyDisableCCM, node, []string{wanted})
	}
	for _, key := range []string{KeyKubeletArg, KeyManagerArg} {
		node, wanted := n.flags[key], c.Args(key)
		if !sameSet(node, wanted, key == KeyManagerArg) {
			differ(key, node, wanted)
		}
	}
	return out
}

func lastValue(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// sameSet reports whether two lists of arguments are equal as sets. It ignores the two arguments
// that Rancher gives every kube-controller-manager for its probes
// (rancher/rancher:pkg/capr/planner/planner.go@v2.8.5 renderArgAndMount).
func sameSet(node, wanted []string, rancherAdds bool) bool {
	for _, a := range node {
		added := rancherAdds && (notation.FlagName(a) == "cert-dir" || notation.FlagName(a) == "secure-port")
		if a != masked && a != "" && !added && !slices.Contains(wanted, a) {
			return false
		}
	}
	for _, a := range wanted {
		if a != "" && !slices.Contains(node, a) && !slices.Contains(node, masked) {
			return false
		}
	}
	return true
}
