// Package downstream holds what was read from the cluster that is migrated, and
// what follows from it: which kube-controller-managers there are and how they
// run, the CCM, the owner of the leases, the evidence for the position.
//
// It is pure. It takes no client; pkg/verify/kube fills Facts.
package downstream

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
)

// Facts is one look at a downstream cluster. Every part was read on its own, so
// that a part that is forbidden costs only the checks that need it.
type Facts struct {
	Version verify.Read[string] // of the API server that answered, e.g. "v1.26.13+rke2r1"
	UID     verify.Read[string] // of the kube-system namespace

	Nodes       verify.Read[[]Node]
	Etcds       verify.Read[[]Pod] // pods labelled component=etcd, without their containers
	CCMRights   verify.Read[[]AccountRights]
	StaticPods  verify.Read[[]Pod] // pods labelled component=…-controller-manager, any namespace
	CCMPods     verify.Read[[]Pod] // pods of the DaemonSets below
	LoosePods   verify.Read[[]Pod] // that run a controller manager and that no workload made: bare ones, static ones, those of custom kinds
	Workloads   verify.Read[[]Workload]
	DaemonSets  verify.Read[[]DaemonSet] // that run a cloud controller manager, any namespace
	Leases      verify.Read[lease.Leases]
	APIServers  verify.Read[[]lease.Observation] // identity leases, read once; none before 1.26
	Rights      verify.Read[Rights]
	Grant       verify.Read[GrantObjects]
	Charts      verify.Read[[]Chart] // HelmChart and HelmChartConfig
	Releases    verify.Read[[]Release]
	CCMObjects  verify.Read[[]Object]  // objects that the chart would own
	Services    verify.Read[[]Service] // of type LoadBalancer
	Volumes     verify.Read[[]Volume]  // with an in-tree EBS source or the EBS driver
	Classes     verify.Read[[]StorageClass]
	CSINodes    verify.Read[[]CSINode]
	Events      verify.Read[[]Event]
	Migration   verify.Read[map[string]MigrationConfig] // by path in the CCM's pods
	Admission   verify.Read[Admission]                  // filled by whoever renders the pod
	ServerClock time.Time                               // newest time stamp a component wrote; zero if none
}

// Object names something that exists.
type Object struct {
	Kind, Namespace, Name string
	Owner                 string // "helm namespace/release", "" when nobody claims it
}

// String is "Kind namespace/name".
func (o Object) String() string {
	if o.Namespace == "" {
		return o.Kind + " " + o.Name
	}
	return o.Kind + " " + o.Namespace + "/" + o.Name
}

// Rights are the answers to SubjectAccessReviews for the KCM's user on the
// migration lease.
type Rights struct{ Get, Update, Create bool }

// AccountRights are what the ServiceAccount of a CCM may not do, of what its
// controllers need: "patch nodes/status".
type AccountRights struct {
	Namespace, Name string
	Missing         []string
}

// GrantObjects are our own Role and RoleBinding.
type GrantObjects struct{ Role, Binding bool }

// Admission is the result of creating the rendered CCM pod with dryRun=All.
type Admission struct {
	Allowed bool
	Message string // the API server's, when refused
}

// Event is a Kubernetes event, times left out on purpose: they are another
// machine's clock.
type Event struct {
	Object, Reason, Message, Source string
	Warning                         bool
	Count                           int32
	Last                            time.Time // compare only with lease times
	UID                             string    `json:"-"` // of the object
	Latest                          time.Time `json:"-"` // of all its times, server clock
}

// MigrationConfig is a leader-migration-config file found in a ConfigMap.
type MigrationConfig struct {
	ConfigMap string // namespace/name
	Key       string
	Text      string
}
