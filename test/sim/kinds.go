package sim

// kind is one resource of a server.
type kind struct {
	group, version, plural, name string
	cluster                      bool // without a namespace
}

func (k kind) resource() string {
	if k.group == "" {
		return k.plural
	}
	return k.plural + "." + k.group
}

func (k kind) apiVersion() string {
	if k.group == "" {
		return k.version
	}
	return k.group + "/" + k.version
}

// core holds the kinds of every Kubernetes cluster that the tests read.
var core = []kind{
	{"", "v1", "nodes", "Node", true},
	{"", "v1", "namespaces", "Namespace", true},
	{"", "v1", "persistentvolumes", "PersistentVolume", true},
	{"", "v1", "pods", "Pod", false},
	{"", "v1", "events", "Event", false},
	{"", "v1", "services", "Service", false},
	{"", "v1", "serviceaccounts", "ServiceAccount", false},
	{"", "v1", "secrets", "Secret", false},
	{"", "v1", "configmaps", "ConfigMap", false},
	{"", "v1", "endpoints", "Endpoints", false},
	{"apps", "v1", "daemonsets", "DaemonSet", false},
	{"apps", "v1", "deployments", "Deployment", false},
	{"", "v1", "replicationcontrollers", "ReplicationController", false},
	{"apps", "v1", "replicasets", "ReplicaSet", false},
	{"apps", "v1", "statefulsets", "StatefulSet", false},
	{"batch", "v1", "jobs", "Job", false},
	{"batch", "v1", "cronjobs", "CronJob", false},
	{"coordination.k8s.io", "v1", "leases", "Lease", false},
	{"discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", false},
	{"rbac.authorization.k8s.io", "v1", "roles", "Role", false},
	{"rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding", false},
	{"rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", true},
	{"rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding", true},
	{"storage.k8s.io", "v1", "storageclasses", "StorageClass", true},
	{"storage.k8s.io", "v1", "csinodes", "CSINode", true},
	{"policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", false},
}

// helmKinds holds the kinds of RKE2's helm controller.
var helmKinds = []kind{
	{"helm.cattle.io", "v1", "helmcharts", "HelmChart", false},
	{"helm.cattle.io", "v1", "helmchartconfigs", "HelmChartConfig", false},
}

// rancherKinds returns the kinds of Rancher's management cluster.
func rancherKinds(r rancherRelease) []kind {
	kinds := []kind{
		{"provisioning.cattle.io", "v1", "clusters", "Cluster", false},
		{"rke.cattle.io", "v1", "rkecontrolplanes", "RKEControlPlane", false},
		{"cluster.x-k8s.io", r.capi, "machines", "Machine", false},
		{"cluster.x-k8s.io", r.capi, "clusters", "Cluster", false},
		{"management.cattle.io", "v3", "settings", "Setting", true},
	}
	if r.beacons {
		kinds = append(kinds, kind{"plan.cattle.io", "v1alpha1", "beacons", "Beacon", false})
	}
	return kinds
}

// managedKinds holds the kinds of Rancher's management cluster for an RKE cluster.
var managedKinds = []kind{
	{"management.cattle.io", "v3", "clusters", "Cluster", true},
	{"management.cattle.io", "v3", "nodes", "Node", false},
	{"management.cattle.io", "v3", "settings", "Setting", true},
}
