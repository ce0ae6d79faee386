package cloud

import (
	"regexp"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// Balancer holds a load balancer as Elastic Load Balancing returns it.
type Balancer struct {
	Name    string
	ARN     string // or "" for a classic load balancer
	Type    string // Classic, or "network", "application" or "gateway"
	DNSName string
	// Aspects holds the comparable properties, each as sorted texts. An aspect without a key was not
	// read.
	Aspects map[Aspect][]string
	Targets verify.Read[[]Target]
	Tags    verify.Read[map[string]string]
}

// Classic is the Type of load balancers of the API of 2012-06-01.
const Classic = "classic"

// String returns the type and the name.
func (b Balancer) String() string { return b.Type + " load balancer " + b.Name }

// Aspect names a property of a load balancer that must not change.
type Aspect string

// The aspects. Those of the second group need a request for each load balancer and are read only
// for a fingerprint.
const (
	HostName       Aspect = "host name"
	Scheme         Aspect = "scheme"
	Kind           Aspect = "type"
	Subnets        Aspect = "subnets"
	SecurityGroups Aspect = "security groups"
	HealthChecks   Aspect = "health checks"
	Targets        Aspect = "targets"

	Listeners  Aspect = "listeners"
	Attributes Aspect = "attributes"
	GroupRules Aspect = "security group rules"
)

// AllAspects returns the aspects in the order of messages.
func AllAspects() []Aspect {
	return []Aspect{HostName, Scheme, Kind, Subnets, Listeners, SecurityGroups, GroupRules, HealthChecks, Attributes, Targets}
}

// Target holds one registered target.
type Target struct {
	ID      string // of the instance
	Port    int
	Healthy bool
	State   string // AWS's word
}

// BalancerName returns the name that a cloud provider gives to the load balancer of the Service
// with this UID (k8s.io/cloud-provider:cloud.go DefaultLoadBalancerName, v0.22 to v0.36).
func BalancerName(uid string) string {
	name := "a" + strings.ReplaceAll(uid, "-", "")
	return name[:min(len(name), maxBalancerName)]
}

// maxBalancerName is AWS's limit of characters in a load balancer's name.
const maxBalancerName = 32

// byProvider matches the results of BalancerName.
var byProvider = regexp.MustCompile(`^a[0-9a-f]{31}$`)

// IsBalancerName reports whether a cloud provider may have chosen the name.
func IsBalancerName(name string) bool { return byProvider.MatchString(name) }

// TagService is the tag with the namespace and the name of a load balancer's Service
// (kubernetes/cloud-provider-aws:pkg/providers/v1/aws.go@v1.26.0 TagNameKubernetesService).
const TagService = "kubernetes.io/service-name"
