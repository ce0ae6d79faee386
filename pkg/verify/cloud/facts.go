// Package cloud holds facts from AWS about the cluster's instances. It makes no requests;
// pkg/verify/aws fills Facts.
package cloud

import (
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// Tags that tie an AWS resource to a cluster.
const (
	TagCluster = "kubernetes.io/cluster/" // + cluster id, value owned or shared
	TagLegacy  = "KubernetesCluster"      // value is the cluster id
)

// Facts holds one reading of AWS.
type Facts struct {
	// Off is the reason why AWS was not read: --aws off, or auto without credentials. The zero
	// Facts were not read either.
	Off      string
	On       bool
	Region   string // the regions of all nodes, sorted: "eu-west-1, us-east-1"
	Identity verify.Read[Identity]
	// Instances by ID. An ID whose region is not in Missed was read. It is absent here only if EC2
	// returned twice that there is no such instance.
	Instances verify.Read[map[string]Instance]
	// Missed maps a region to the reason why its instances could not all be read. Absence from
	// Instances means nothing there.
	Missed map[string]string
	// Unclaimed holds the instances with the cluster's tag and without a Node, in any state. It is
	// not read if no instance has a cluster's tag.
	Unclaimed      verify.Read[[]Instance]
	SecurityGroups verify.Read[map[string]Tags]
	GroupRules     verify.Read[map[string]int] // inbound rules for one source each, by group
	Subnets        verify.Read[map[string]Tags]
	RouteTables    verify.Read[map[string]Tags] // of the instances' VPCs
	Roles          verify.Read[[]RoleRights]
	// Balancers holds the load balancers whose name a cloud provider may have chosen, sorted by name
	// and type. Those of other clusters are among them.
	Balancers verify.Read[[]Balancer]
}

// Nameless replaces a name that is missing in AWS's answer.
const Nameless = "nameless"

// Identity is the identity of the credentials.
type Identity struct{ Account, ARN string }

// Tags holds the tags of one resource.
type Tags map[string]string

// Instance holds the fields of an EC2 instance that rules use.
type Instance struct {
	ID, State, Zone  string
	Region           string // of the EC2 API that returned it; the zone's name may not show it
	PrivateDNSName   string
	PrivateIPs       []string // of all interfaces, including IPv6; the primary one first
	Interfaces       int      // number of network interfaces; 0 if not reported
	Tags             Tags     // only those of clusters, see Tags.Clusters
	VPC, Subnet      string
	SecurityGroups   []string
	HTTPTokens       string // "optional" or "required", or "" if not reported; see MetadataDisabled
	HopLimit         int
	InstanceProfile  string // ARN or Nameless, or "" without a profile
	MetadataDisabled bool
	Launched         time.Time // AWS's clock
}

// Alive reports whether the instance is neither terminated nor shutting down.
func (i Instance) Alive() bool { return i.State != "terminated" && i.State != "shutting-down" }

// RoleRights holds the result of simulating a role's policies for the actions of a CCM.
type RoleRights struct {
	Role    string // ARN
	Allowed []string
	Denied  []string
	// Forbidden are the denied actions with an explicit deny, which no Allow overrides.
	Forbidden []string
}

// Clusters returns the IDs of the clusters that a resource is tagged for, sorted. Two different ones,
// in kubernetes.io/cluster/ tags or in one of them and the legacy tag, end a CCM or an in-tree
// kube-controller-manager at its start on the instance
// (kubernetes/cloud-provider-aws:pkg/providers/v1/tags.go@v1.26.0 findClusterIDs, init).
func (t Tags) Clusters() []string {
	var ids []string
	for k := range t {
		if id, ok := strings.CutPrefix(k, TagCluster); ok && id != "" {
			ids = append(ids, id)
		}
	}
	if old := t[TagLegacy]; old != "" && !slices.Contains(ids, old) {
		ids = append(ids, old)
	}
	sort.Strings(ids)
	return ids
}

// Has reports whether the resource is tagged for the cluster. It is false for "".
func (t Tags) Has(cluster string) bool {
	_, ok := t[TagCluster+cluster]
	return cluster != "" && (ok || t[TagLegacy] == cluster)
}

// ClusterOf returns the cluster that instances belong to, or "". The tags of the control planes
// decide, because a CCM uses the tag of its own instance
// (kubernetes/cloud-provider-aws:pkg/providers/v1/aws.go@v1.26.0 newAWSCloud). If none of them is
// known or tagged, the majority of all instances decides. Control planes with different tags give
// no cluster.
func ClusterOf(planes, all []Tags) string {
	switch named := PlaneClusters(planes); len(named) {
	case 0:
		return MostTagged(all)
	case 1:
		return named[0]
	}
	return ""
}

// PlaneClusters returns the cluster IDs of the control planes, each once. A control plane with
// several IDs does not count if another has exactly one.
func PlaneClusters(planes []Tags) []string {
	var single, all []string
	for _, t := range planes {
		ids := t.Clusters()
		all = append(all, ids...)
		if len(ids) == 1 {
			single = append(single, ids...)
		}
	}
	if len(single) > 0 {
		all = single
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// MostTagged returns the cluster with the most tags, the first by name of several, or "".
func MostTagged(all []Tags) string {
	count := map[string]int{}
	for _, t := range all {
		for _, c := range t.Clusters() {
			count[c]++
		}
	}
	best := ""
	for id, n := range count {
		if best == "" || n > count[best] || n == count[best] && id < best {
			best = id
		}
	}
	return best
}
