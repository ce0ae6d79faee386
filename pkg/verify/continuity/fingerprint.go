// Package continuity compares a cluster with what it was before a migration:
// the same Nodes under the same names, the same load balancers, the user's own
// cordons. It is pure.
package continuity

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sort"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// schema is the version of Fingerprint's encoding.
const schema = 1

// Fingerprint is what a cluster was at one moment.
type Fingerprint struct {
	Schema   int            `json:"schema"`
	Nodes    []NodePrint    `json:"nodes"`    // by name
	Services []ServicePrint `json:"services"` // of type LoadBalancer, by namespace and name
}

// NodePrint is one Node.
type NodePrint struct {
	Name         string   `json:"name"`
	UID          string   `json:"uid"`
	ProviderID   string   `json:"providerID,omitempty"`
	Machine      string   `json:"machine,omitempty"` // Rancher Machine UID
	ControlPlane bool     `json:"controlPlane,omitempty"`
	Labels       string   `json:"labels"` // hash, of all but the hostname label
	Hostname     string   `json:"hostname,omitempty"`
	Taints       []string `json:"taints,omitempty"`
	// Addresses are "Type=address" in the order of the API: the first of a type is the
	// one that clients take.
	Addresses []string `json:"addresses,omitempty"`
	// Cordoned: by its user. Our own cordons are not part of what a cluster was.
	Cordoned bool `json:"cordoned,omitempty"`
}

// ServicePrint is one load balancer.
type ServicePrint struct {
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	UID       string   `json:"uid"`
	Hostnames []string `json:"hostnames,omitempty"`
}

// Take makes the fingerprint, or says which reading is missing.
func Take(f downstream.Facts) (Fingerprint, error) {
	if !f.Nodes.OK() {
		return Fingerprint{}, fmt.Errorf("no fingerprint without the nodes: %w", cause(f.Nodes))
	}
	if !f.Services.OK() {
		return Fingerprint{}, fmt.Errorf("no fingerprint without the services: %w", cause(f.Services))
	}
	fp := Fingerprint{Schema: schema}
	for _, n := range f.Nodes.Value {
		fp.Nodes = append(fp.Nodes, printOf(n))
	}
	for _, s := range f.Services.Value {
		if !s.Deleting {
			fp.Services = append(fp.Services, ServicePrint{s.Namespace, s.Name, s.UID, sorted(s.Hostnames)})
		}
	}
	sort.Slice(fp.Nodes, func(i, j int) bool { return fp.Nodes[i].Name < fp.Nodes[j].Name })
	sort.Slice(fp.Services, func(i, j int) bool {
		a, b := fp.Services[i], fp.Services[j]
		return a.Namespace < b.Namespace || a.Namespace == b.Namespace && a.Name < b.Name
	})
	return fp, nil
}

// ProviderIDs returns those of all Nodes.
func (fp Fingerprint) ProviderIDs() []string {
	ids := make([]string, 0, len(fp.Nodes))
	for _, n := range fp.Nodes {
		ids = append(ids, n.ProviderID)
	}
	return ids
}

// TakeAgain is the fingerprint with the UIDs of Nodes that were deleted and registered
// again: the same machine and instance under the same name. names are these. A Node
// that differs in more keeps what it was.
func (fp Fingerprint) TakeAgain(now []NodePrint) (again Fingerprint, names []string) {
	byName := map[string]NodePrint{}
	for _, n := range now {
		byName[n.Name] = n
	}
	again = fp
	again.Nodes = slices.Clone(fp.Nodes)
	for i, then := range again.Nodes {
		n, here := byName[then.Name]
		if here && n.UID != then.UID && n.Machine == then.Machine && n.ProviderID == then.ProviderID && n.ProviderID != "" {
			again.Nodes[i].UID = n.UID
			names = append(names, then.Name)
		}
	}
	return again, names
}

func cause[T any](r verify.Read[T]) error {
	if r.Err != nil {
		return r.Err
	}
	return fmt.Errorf("nobody looked")
}

func printOf(n downstream.Node) NodePrint {
	_, ours := n.Annotations[downstream.AnnotationOurs]
	p := NodePrint{
		Name: n.Name, UID: n.UID, ProviderID: n.ProviderID, Machine: n.MachineUID(), ControlPlane: n.ControlPlane(),
		Labels: hashLabels(n.Labels), Hostname: n.Labels[downstream.LabelHostname], Addresses: addresses(n), Cordoned: n.Unschedulable && !ours,
	}
	for _, t := range n.Taints {
		if t.Key != downstream.TaintUnschedulable {
			p.Taints = append(p.Taints, t.String())
		}
	}
	sort.Strings(p.Taints)
	return p
}

func hashLabels(labels map[string]string) string {
	keys := make([]string, 0, len(labels))
	for k := range labels {
		if k != downstream.LabelHostname {
			keys = append(keys, k)
		}
	}
	sort.Strings(keys)
	h := sha256.New()
	for _, k := range keys {
		fmt.Fprintf(h, "%s=%s\n", k, labels[k])
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

func sorted(s []string) []string {
	out := slices.Clone(s)
	sort.Strings(out)
	return out
}

// readable are the limits of a fingerprint's text. One of 5,000 Nodes and 1,000 load balancers
// has 3 MB and 75,000 values, and fits a journal; one at the limits takes at most 160 MB to
// decode, garbage included.
func readable() bounded.Limits { return bounded.Limits{Bytes: 8 << 20, Values: 1 << 17} }

// Encode gives compressed JSON: a fingerprint of 5,000 Nodes fits a ConfigMap.
func (fp Fingerprint) Encode() ([]byte, error) {
	text, err := json.Marshal(fp)
	if err == nil {
		err = readable().CheckJSON(text)
	}
	if err != nil {
		return nil, fmt.Errorf("encoding the fingerprint: %w", err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		return nil, fmt.Errorf("compressing the fingerprint: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("compressing the fingerprint: %w", err)
	}
	return b.Bytes(), nil
}

// Decode reads what Encode wrote, and refuses a schema it does not know.
func Decode(raw []byte) (Fingerprint, error) {
	text, err := readable().Gunzip(raw)
	if err != nil {
		return Fingerprint{}, err
	}
	var fp Fingerprint
	if err := readable().DecodeJSON(text, &fp); err != nil {
		return Fingerprint{}, err
	}
	if fp.Schema != schema {
		return Fingerprint{}, fmt.Errorf("the fingerprint has schema %d, this version knows %d", fp.Schema, schema)
	}
	return fp, nil
}
