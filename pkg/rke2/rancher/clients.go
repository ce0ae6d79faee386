package rancher

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Clients holds the clients of the two API servers of a migration.
type Clients struct {
	// Management reaches the cluster with Rancher and its Cluster objects.
	Management dynamic.Interface
	// ManagementKube reaches the same server, for the journal, the lock and Secrets.
	ManagementKube kubernetes.Interface
	// Downstream reaches the cluster being migrated.
	Downstream kubernetes.Interface
	// DownstreamDynamic reaches the same server, for objects without a Go type here.
	DownstreamDynamic dynamic.Interface
	// FromCache lets the management server list Machines from its cache, which may be behind by
	// moments. Otherwise it decodes the Machines of every cluster for each list (before Kubernetes
	// 1.31, which serves current lists from its cache). A run needs current lists.
	FromCache bool
	// Known saves a run most of these lists. If it is nil, every list is current.
	Known *Known
	// DownstreamConfig is for Helm, which creates its own clients.
	DownstreamConfig *rest.Config
}

// Clusters returns a client for Rancher's Cluster objects in a namespace.
func (c Clients) Clusters(namespace string) dynamic.ResourceInterface {
	return c.Management.Resource(clustersGVR).Namespace(namespace)
}

// ControlPlanes returns a client for the RKEControlPlanes that Rancher derives from them.
func (c Clients) ControlPlanes(namespace string) dynamic.ResourceInterface {
	return c.Management.Resource(controlPlanesGVR).Namespace(namespace)
}

// Rancher's resources that this package reads. awsmigrate only patches Clusters and, to
// pause a rollout, RKEControlPlanes.
var (
	clustersGVR      = schema.GroupVersionResource{Group: "provisioning.cattle.io", Version: "v1", Resource: "clusters"}
	controlPlanesGVR = schema.GroupVersionResource{Group: "rke.cattle.io", Version: "v1", Resource: "rkecontrolplanes"}
	beaconsGVR       = schema.GroupVersionResource{Group: "plan.cattle.io", Version: "v1alpha1", Resource: "beacons"}
	settingsGVR      = schema.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "settings"}
)

// PausedAnnotation stops Rancher's planner from reconciling machines
// (rancher/rancher:pkg/capr/planner/planner.go@v2.8.5, IsPaused).
const PausedAnnotation = "cluster.x-k8s.io/paused"

// AutoscalerPausedAnnotation pauses the cluster-autoscaler that Rancher runs from 2.13 on.
const AutoscalerPausedAnnotation = "provisioning.cattle.io/cluster-autoscaler-paused"

// PausedByAnnotation marks a pause that awsmigrate set. awsmigrate removes no other pause.
const PausedByAnnotation = "awsmigrate.io/paused-by"

// MachineLabel on a downstream Node holds the UID of its Machine
// (rancher/rancher:pkg/capr/planner/config.go@v2.8.5, addLabels).
const MachineLabel = "rke.cattle.io/machine"
