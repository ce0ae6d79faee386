package rancher

import "k8s.io/apimachinery/pkg/runtime/schema"

// Labels, annotations and types of Rancher and Cluster API
// (rancher/rancher:pkg/capr/common.go@v2.8.5, kubernetes-sigs/cluster-api:api/v1beta1/common_types.go@v1.5).
const (
	labelControlPlane   = "rke.cattle.io/control-plane-role"
	labelEtcd           = "rke.cattle.io/etcd-role"
	labelWorker         = "rke.cattle.io/worker-role"
	labelPool           = "rke.cattle.io/rke-machine-pool-name"
	labelClusterName    = "rke.cattle.io/cluster-name"
	labelMachineName    = "rke.cattle.io/machine-name"
	labelMachineUID     = "rke.cattle.io/machine"
	labelNodeName       = "rke.cattle.io/node-name"
	labelInitNode       = "rke.cattle.io/init-node"
	labelOS             = "cattle.io/os"
	labelCAPICluster    = "cluster.x-k8s.io/cluster-name"
	labelCAPIDeployment = "cluster.x-k8s.io/deployment-name"

	annotationDrain        = "rke.cattle.io/drain-options"
	annotationDrainDone    = "rke.cattle.io/drain-done"
	annotationDrainError   = "rke.cattle.io/drain-error"
	annotationPreDrain     = "rke.cattle.io/pre-drain"
	annotationPostDrain    = "rke.cattle.io/post-drain"
	annotationUncordon     = "rke.cattle.io/uncordon"
	annotationJoinURL      = "rke.cattle.io/join-url"
	annotationJoinedTo     = "rke.cattle.io/joined-to"
	annotationLabels       = "rke.cattle.io/labels"
	annotationTaints       = "rke.cattle.io/taints"
	annotationPlanUpdated  = "rke.cattle.io/plan-last-updated"
	annotationProbesPassed = "rke.cattle.io/plan-probes-passed"
	annotationAuthorized   = "rke.cattle.io/object-authorized-for-clusters"
	annotationAuthorizedV2 = "v2prov-secret-authorized-for-cluster"
	annotationPaused       = "cluster.x-k8s.io/paused"
	annotationDeleteFirst  = "cluster.x-k8s.io/delete-machine"
	annotationMachine      = "cluster.x-k8s.io/machine"
	annotationCreator      = "field.cattle.io/creatorId"

	finalizerCluster = "wrangler.cattle.io/provisioning-cluster-remove"
	finalizerMachine = "machine.cluster.x-k8s.io"

	secretTypePlan = "rke.cattle.io/machine-plan"
)

var (
	gvrCluster            = schema.GroupVersionResource{Group: "provisioning.cattle.io", Version: "v1", Resource: "clusters"}
	gvrControlPlane       = schema.GroupVersionResource{Group: "rke.cattle.io", Version: "v1", Resource: "rkecontrolplanes"}
	gvrSnapshot           = schema.GroupVersionResource{Group: "rke.cattle.io", Version: "v1", Resource: "etcdsnapshots"}
	gvrMachine            = schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta1", Resource: "machines"}
	gvrDeployment         = schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta1", Resource: "machinedeployments"}
	gvrMachineConfig      = schema.GroupVersionResource{Group: "rke-machine-config.cattle.io", Version: "v1", Resource: "amazonec2configs"}
	gvrHealthCheck        = schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta1", Resource: "machinehealthchecks"}
	gvrCAPICluster        = schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta1", Resource: "clusters"}
	gvrManagementCluster  = schema.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "clusters"}
	gvrManagementNode     = schema.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "nodes"}
	gvrSetting            = schema.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "settings"}
	gvrPSACT              = schema.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "podsecurityadmissionconfigurationtemplates"}
	localManagementName   = "local"
	localClusterNamespace = "fleet-local"
)
