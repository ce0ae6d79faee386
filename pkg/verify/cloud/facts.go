// Package cloud holds what was read from AWS about the cluster's instances. It
// is pure; pkg/verify/aws fills it.
package cloud

import (
	"sort"
	"strings"

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
	Off            string
	On             bool
	Region         string
	Identity       verify.Read[Identity]
	Instances      verify.Read[map[string]Instance] // by id; an id that was asked for and is missing does not exist
	SecurityGroups verify.Read[map[string]Tags]
	Subnets        verify.Read[map[string]Tags]
	RouteTables    verify.Read[map[string]Tags] // of the instances' VPCs
	Roles          verify.Read[[]RoleRights]
}

// Identity is who asked.
type Identity struct{ Account, ARN string }

// Tags of one resource.
type Tags map[string]string

// Instance is the part of an EC2 instance that some rule looks at.
type Instance struct {
	ID, State, Zone  string
	PrivateDNSName   string
	PrivateIPs       []string
	Tags             Tags
	VPC, Subnet      string
	SecurityGroups   []string
	HTTPTokens       string // "optional", "required"
	HopLimit         int
	InstanceProfile  string // ARN
	MetadataDisabled bool
}

// RoleRights is what a simulation of a role's policies says about the actions a
// CCM needs.
type RoleRights struct {
	Role    string // ARN
	Allowed []string
	Denied  []string
}

// Clusters are the ids of the clusters a resource is tagged for. Two different
// kubernetes.io/cluster/ tags are an error for the AWS provider; the legacy tag
// counts only when there is none of them.
func (t Tags) Clusters() []string {
	var ids []string
	for k := range t {
		if id, ok := strings.CutPrefix(k, TagCluster); ok && id != "" {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 && t[TagLegacy] != "" {
		ids = []string{t[TagLegacy]}
	}
	sort.Strings(ids)
	return ids
}

// Has says whether the resource is tagged for the cluster.
func (t Tags) Has(cluster string) bool {
	_, ok := t[TagCluster+cluster]
	return ok || t[TagLegacy] == cluster
}
