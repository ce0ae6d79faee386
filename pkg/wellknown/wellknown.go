// Package wellknown holds names that several packages must agree on: objects and leases in
// the migrated cluster, users, field managers, distributions. It imports nothing and decides
// nothing.
package wellknown

// System is the namespace of all objects that a migration touches in the cluster.
const System = "kube-system"

const (
	// KCM names the component, its pods' label, and its field manager.
	KCM = "kube-controller-manager"
	// KCMUser is the user of kube-controller-manager's client certificate in RKE2
	// (k3s-io/k3s:pkg/daemons/control/deps), RKE (rancher/rke:pki) and kubeadm.
	KCMUser = "system:kube-controller-manager"
	// APIServer names the component and its pods' label.
	APIServer = "kube-apiserver"
	// CCM names the executable of the cloud controller manager, its Helm release, chart,
	// DaemonSet and container. The names match the chart of kubernetes/cloud-provider-aws, so
	// that either chart can upgrade the other.
	CCM = "aws-cloud-controller-manager"
)

// Leases of leader election, all in System by default.
const (
	// MigrationLease is shared by kube-controller-manager and the cloud controller
	// manager while leader migration is on
	// (k8s.io/controller-manager:pkg/leadermigration/config/default.go).
	MigrationLease = "cloud-provider-extraction-migration"
	KCMLease       = "kube-controller-manager"
	CCMLease       = "cloud-controller-manager"
)

const (
	// Fence is the prefix of the holder of a migration lease that awsmigrate has fenced; the
	// ID of the run follows. No process has such an identity. The holder therefore steps down,
	// and a waiting process takes the lease when it expires.
	Fence = "awsmigrate-fence_"
	// FenceNote is the annotation that explains the fence to people.
	FenceNote = "awsmigrate.io/fence"
)

// Names for the leader migration file of awsmigrate's chart. The annotation on a pod holds the
// digest of the file that the same release mounts at the path.
const (
	MigrationFileNote = "awsmigrate.io/leader-migration-sha256"
	MigrationFilePath = "/etc/kubernetes/leader-migration/leader-migration.yaml"
	// MigrationFileDigest is the digest of the file that lists the three controllers by their
	// old and new names, for every component. A later file must list them too, or use another
	// annotation.
	MigrationFileDigest = "890ae880bcc058373a637cfce0d2a220e849fc94c0006140ad4942b0da9d575b"
)

const (
	// Grant names awsmigrate's own Role and RoleBinding.
	Grant = "awsmigrate-leader-migration"
	// FieldManager owns the fields that awsmigrate writes.
	FieldManager = "awsmigrate"
	// ManagedBy is the label that names the manager of an object.
	ManagedBy = "app.kubernetes.io/managed-by"
	// InBackup is the label that includes an object of any namespace in Rancher's backups
	// (rancher/backup-restore-operator: charts/rancher-backup/files/default/
	// basic-resourceset-contents/rancher.yaml at cfd7498).
	InBackup = "resources.cattle.io/backup"
)
