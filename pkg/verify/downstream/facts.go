// Package downstream holds the facts read from the migrated cluster and derives from them:
// the kube-controller-managers and their modes, the CCM, the lease owners, and the evidence
// for the position.
//
// It makes no requests; pkg/verify/kube fills Facts.
package downstream

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
)

// Facts holds one reading of a downstream cluster. Every part is read separately: a forbidden
// part disables only the checks that need it.
type Facts struct {
	Version verify.Read[string] // of the API server that answered, e.g. "v1.26.13+rke2r1"
	UID     verify.Read[string] // of the kube-system namespace

	Nodes      verify.Read[[]Node]
	Etcds      verify.Read[[]Pod] // pods labelled component=etcd, without their containers
	CCMRights  verify.Read[[]AccountRights]
	StaticPods verify.Read[[]Pod] // pods labelled component=…-controller-manager, any namespace
	CCMPods    verify.Read[[]Pod] // pods of the DaemonSets below
	LoosePods  verify.Read[[]Pod] // controller manager pods without a workload: bare, static, or of custom kinds
	Workloads  verify.Read[[]Workload]
	DaemonSets verify.Read[[]DaemonSet] // that run a cloud controller manager, any namespace
	Leases     verify.Read[lease.Leases]
	APIServers verify.Read[[]lease.Observation] // identity leases, read once; none before 1.26
	Rights     verify.Read[Rights]
	Grant      verify.Read[GrantObjects]
	Charts     verify.Read[[]Chart] // HelmChart and HelmChartConfig
	Releases   verify.Read[[]Release]
	CCMObjects verify.Read[[]Object]  // objects that the chart would own
	Services   verify.Read[[]Service] // of type LoadBalancer
	// Endpoints counts the ready endpoints of the Services whose load balancer has no healthy target,
	// by "namespace/name".
	Endpoints   verify.Read[map[string]int] `json:",omitzero"`
	Volumes     verify.Read[[]Volume]       // with an in-tree EBS source or the EBS driver
	Classes     verify.Read[[]StorageClass]
	CSINodes    verify.Read[[]CSINode]
	Events      verify.Read[[]Event]
	Migration   verify.Read[map[string]MigrationConfig] // by path in the CCM's pods
	Admission   verify.Read[Admission]                  // filled by the caller that renders the pod
	ServerClock time.Time                               // newest timestamp that a component wrote, or zero
}

// Object names an existing object.
type Object struct {
	Kind, Namespace, Name string
	Owner                 string // "helm namespace/release", or "" without an owner
}

// String returns "Kind namespace/name".
func (o Object) String() string {
	if o.Namespace == "" {
		return o.Kind + " " + o.Name
	}
	return o.Kind + " " + o.Namespace + "/" + o.Name
}

// Rights holds the answers of SubjectAccessReviews for the KCM's user on the migration lease.
type Rights struct{ Get, Update, Create bool }

// AccountRights lists the missing rights of a CCM's ServiceAccount, such as
// "patch nodes/status".
type AccountRights struct {
	Namespace, Name string
	Missing         []string
}

// GrantObjects reports which of awsmigrate's Role and RoleBinding exist.
type GrantObjects struct{ Role, Binding bool }

// Admission holds the result of creating the rendered CCM pod with dryRun=All.
type Admission struct {
	Allowed bool
	Message string // of the API server, if the pod was rejected
}

// Event is a Kubernetes event. Its times are by another machine's clock.
type Event struct {
	Object, Reason, Message, Source string
	Warning                         bool
	Count                           int32
	Last                            time.Time // compare only with lease times
	UID                             string    `json:"-"` // of the object
	Latest                          time.Time `json:"-"` // of all its times, server clock
}

// MigrationConfig is a leader-migration-config file in a ConfigMap.
type MigrationConfig struct {
	ConfigMap string // namespace/name
	Key       string
	Text      string
}
