// Package continuity compares a cluster with its fingerprint from before the migration: the
// same Nodes under the same names, the same load balancers, the user's own cordons. It makes
// no requests.
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
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// schema is the version of Fingerprint's encoding.
const schema = 1

// Fingerprint holds the state of a cluster at one time.
type Fingerprint struct {
	Schema   int            `json:"schema"`
	Nodes    []NodePrint    `json:"nodes"`    // sorted by name
	Services []ServicePrint `json:"services"` // of type LoadBalancer, sorted by namespace and name
}

// NodePrint holds the state of one Node.
type NodePrint struct {
	Name         string   `json:"name"`
	UID          string   `json:"uid"`
	ProviderID   string   `json:"providerID,omitempty"`
	Machine      string   `json:"machine,omitempty"` // Rancher Machine UID
	ControlPlane bool     `json:"controlPlane,omitempty"`
	Labels       string   `json:"labels"` // hash of all labels except the hostname label
	Hostname     string   `json:"hostname,omitempty"`
	Taints       []string `json:"taints,omitempty"`
	// Addresses holds "Type=address" in the API's order. Clients use the first of each type.
	Addresses []string `json:"addresses,omitempty"`
	// Cordoned reports whether the user cordoned the Node. Cordons by awsmigrate do not count.
	Cordoned bool `json:"cordoned,omitempty"`
}

// ServicePrint holds the state of one Service with a load balancer.
type ServicePrint struct {
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	UID       string   `json:"uid"`
	Hostnames []string `json:"hostnames,omitempty"`
	// Spec is the hash of Service.Spec.
	Spec string `json:"spec,omitempty"`
	// Balancer is the load balancer in AWS, or nil if it was not read.
	Balancer *BalancerPrint `json:"balancer,omitempty"`
	// Earlier is the load balancer of the preflight if Balancer is a later reading, or nil. A property
	// may return to it: a controller sets back what a person changed in between.
	Earlier *BalancerPrint `json:"earlier,omitempty"`
}

// Take returns the fingerprint, or an error if a reading of the cluster is missing. Without a
// reading of AWS the fingerprint has no load balancers in AWS.
func Take(f downstream.Facts, c cloud.Facts) (Fingerprint, error) {
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
			fp.Services = append(fp.Services, ServicePrint{Namespace: s.Namespace, Name: s.Name, UID: s.UID, Hostnames: sorted(s.Hostnames), Spec: s.Spec, Balancer: balancerPrint(s, c)})
		}
	}
	sort.Slice(fp.Nodes, func(i, j int) bool { return fp.Nodes[i].Name < fp.Nodes[j].Name })
	sort.Slice(fp.Services, func(i, j int) bool {
		a, b := fp.Services[i], fp.Services[j]
		return a.Namespace < b.Namespace || a.Namespace == b.Namespace && a.Name < b.Name
	})
	return fp, nil
}

// ProviderIDs returns the ProviderIDs of all Nodes.
func (fp Fingerprint) ProviderIDs() []string {
	ids := make([]string, 0, len(fp.Nodes))
	for _, n := range fp.Nodes {
		ids = append(ids, n.ProviderID)
	}
	return ids
}

// UpdateUIDs returns the fingerprint with the new UIDs of Nodes that were deleted and
// registered again, and the names of these Nodes. Machine, instance and name must be the
// same. Other Nodes keep their entry.
func (fp Fingerprint) UpdateUIDs(now []NodePrint) (updated Fingerprint, names []string) {
	byName := map[string]NodePrint{}
	for _, n := range now {
		byName[n.Name] = n
	}
	updated = fp
	updated.Nodes = slices.Clone(fp.Nodes)
	for i, then := range updated.Nodes {
		n, here := byName[then.Name]
		if here && n.UID != then.UID && n.Machine == then.Machine && n.ProviderID == then.ProviderID && n.ProviderID != "" {
			updated.Nodes[i].UID = n.UID
			names = append(names, then.Name)
		}
	}
	return updated, names
}

func cause[T any](r verify.Read[T]) error {
	if r.Err != nil {
		return r.Err
	}
	return fmt.Errorf("no attempt was made")
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

// limits returns the limits of a fingerprint's text. One with 5,000 Nodes and 1,000 load
// balancers has 3 MB and 75,000 values and fits a journal. One at the limits takes at most
// 160 MB to decode, garbage included.
func limits() bounded.Limits { return bounded.Limits{Bytes: 8 << 20, Values: 1 << 17} }

// maxEncoded limits the result of Encode, which is a note in a ConfigMap of at most 1 MiB. A
// ConfigMap holds it in base64, with other notes.
const maxEncoded = 256 << 10

// Encode returns compressed JSON. A fingerprint of 5,000 Nodes fits a ConfigMap. If the load
// balancers do not fit, it leaves out their targets, or then all of them: the Nodes matter more.
func (fp Fingerprint) Encode() ([]byte, error) {
	packed, err := fp.encode()
	for _, smaller := range []func(Fingerprint) Fingerprint{Fingerprint.withoutTargets, Fingerprint.withoutBalancers} {
		if fp.HasBalancers() && (err != nil || len(packed) > maxEncoded) {
			fp = smaller(fp)
			packed, err = fp.encode()
		}
	}
	return packed, err
}

func (fp Fingerprint) encode() ([]byte, error) {
	text, err := json.Marshal(fp)
	if err == nil {
		err = limits().CheckJSON(text)
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

// Decode reads the output of Encode. It returns an error for an unknown schema.
func Decode(raw []byte) (Fingerprint, error) {
	text, err := limits().Gunzip(raw)
	if err != nil {
		return Fingerprint{}, err
	}
	var fp Fingerprint
	if err := limits().DecodeJSON(text, &fp); err != nil {
		return Fingerprint{}, err
	}
	if fp.Schema != schema {
		return Fingerprint{}, fmt.Errorf("the fingerprint has schema %d, this version knows %d", fp.Schema, schema)
	}
	return fp, nil
}
