// Package cloud holds what was read from AWS about the cluster's instances. It
// is pure; pkg/verify/aws fills it.
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

// Facts is one look at AWS.
type Facts struct {
	// Off says why nobody looked at all: --aws off, or auto without credentials.
	// The zero Facts is Off.
	Off      string
	On       bool
	Region   string // all that nodes are in, by name: "eu-west-1, us-east-1"
	Identity verify.Read[Identity]
	// Instances by id. An id whose region is not in Missed was asked for; it is
	// missing here only when EC2 said twice that there is no such instance.
	Instances verify.Read[map[string]Instance]
	// Missed says by region why EC2 could not be asked about all of its nodes: of
	// those that are not in Instances nothing is known.
	Missed map[string]string
	// Unclaimed are the instances that carry the cluster's tag and are the
	// instance of no Node, whatever their state. Nobody looked when no instance
	// carries the tag of a cluster.
	Unclaimed      verify.Read[[]Instance]
	SecurityGroups verify.Read[map[string]Tags]
	Subnets        verify.Read[map[string]Tags]
	RouteTables    verify.Read[map[string]Tags] // of the instances' VPCs
	Roles          verify.Read[[]RoleRights]
}

// Nameless stands for a name that an answer of AWS left out of what it says is there.
const Nameless = "nameless"

// Identity is who asked.
type Identity struct{ Account, ARN string }

// Tags of one resource.
type Tags map[string]string

// Instance is the part of an EC2 instance that some rule looks at.
type Instance struct {
	ID, State, Zone  string
	Region           string // whose EC2 has it; the zone's name need not tell
	PrivateDNSName   string
	PrivateIPs       []string // of all interfaces, IPv6 too; the primary one first
	Interfaces       int      // network interfaces; 0: not said
	Tags             Tags     // only those of clusters, see Tags.Clusters
	VPC, Subnet      string
	SecurityGroups   []string
	HTTPTokens       string // "optional", "required"; "": not said, see MetadataDisabled
	HopLimit         int
	InstanceProfile  string // ARN, or Nameless; "": it has none
	MetadataDisabled bool
	Launched         time.Time // AWS's clock
}

// Alive says whether the instance exists as a machine: not terminated, nor about to be.
func (i Instance) Alive() bool { return i.State != "terminated" && i.State != "shutting-down" }

// RoleRights is what a simulation of a role's policies says about the actions a
// CCM needs.
type RoleRights struct {
	Role    string // ARN
	Allowed []string
	Denied  []string
	// Forbidden are those of Denied that a policy denies expressly: no Allow
	// outweighs it.
	Forbidden []string
}

// Clusters are the ids of the clusters a resource is tagged for. Two different ones
// end a CCM, and an in-tree kube-controller-manager, that starts on the instance:
// of the tags kubernetes.io/cluster/, or of one and the legacy tag
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

// Has says whether the resource is tagged for the cluster; for none, "", it is not.
func (t Tags) Has(cluster string) bool {
	_, ok := t[TagCluster+cluster]
	return cluster != "" && (ok || t[TagLegacy] == cluster)
}

// ClusterOf is the cluster that instances belong to: the one that the control
// planes are tagged for, since a CCM takes the tag of its own instance
// (kubernetes/cloud-provider-aws:pkg/providers/v1/aws.go@v1.26.0 newAWSCloud). Where
// none of them is seen, or tagged, most of all instances decide. Control planes that
// differ name none.
func ClusterOf(planes, all []Tags) string {
	switch named := PlaneClusters(planes); len(named) {
	case 0:
		return MostTagged(all)
	case 1:
		return named[0]
	}
	return ""
}

// PlaneClusters are the ids that control planes are tagged for, each once. One that
// is tagged for several has no say where another is tagged for one.
func PlaneClusters(planes []Tags) []string {
	var sole, several []string
	for _, t := range planes {
		ids := t.Clusters()
		several = append(several, ids...)
		if len(ids) == 1 {
			sole = append(sole, ids...)
		}
	}
	if len(sole) > 0 {
		several = sole
	}
	slices.Sort(several)
	return slices.Compact(several)
}

// MostTagged is the cluster that most of the tags name, the first by name of
// several; "" when none names one.
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
