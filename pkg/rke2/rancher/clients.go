package rancher

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Clients reach the two API servers of a migration.
type Clients struct {
	// Management is where Rancher and its Cluster objects live.
	Management dynamic.Interface
	// ManagementKube is the same server, for the journal, the lock and Secrets.
	ManagementKube kubernetes.Interface
	// Downstream is the cluster being migrated.
	Downstream kubernetes.Interface
	// DownstreamDynamic is the same server, for objects without a Go type here.
	DownstreamDynamic dynamic.Interface
	// DownstreamConfig makes Helm's own clients.
	DownstreamConfig *rest.Config
}

// Clusters are Rancher's Cluster objects in a namespace.
func (c Clients) Clusters(namespace string) dynamic.ResourceInterface {
	return c.Management.Resource(clustersGVR).Namespace(namespace)
}

// ControlPlanes are the RKEControlPlanes that Rancher makes of them.
func (c Clients) ControlPlanes(namespace string) dynamic.ResourceInterface {
	return c.Management.Resource(controlPlanesGVR).Namespace(namespace)
}

// Rancher's resources that this package reads. Only Clusters and, for the
// brake, RKEControlPlanes are ever patched.
var (
	clustersGVR      = schema.GroupVersionResource{Group: "provisioning.cattle.io", Version: "v1", Resource: "clusters"}
	controlPlanesGVR = schema.GroupVersionResource{Group: "rke.cattle.io", Version: "v1", Resource: "rkecontrolplanes"}
	machinesGVR      = schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta1", Resource: "machines"}
	capiClustersGVR  = schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta1", Resource: "clusters"}
	settingsGVR      = schema.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "settings"}
)

// PausedAnnotation stops Rancher's planner from reconciling machines
// (rancher/rancher:pkg/capr/planner/planner.go@v2.8.5, IsPaused).
const PausedAnnotation = "cluster.x-k8s.io/paused"

// PausedByAnnotation marks a pause as ours, so that only ours is ever removed.
const PausedByAnnotation = "awsmigrate.io/paused-by"

// MachineLabel on a downstream Node holds the UID of its Machine
// (rancher/rancher:pkg/capr/planner/config.go@v2.8.5, addLabels).
const MachineLabel = "rke.cattle.io/machine"
