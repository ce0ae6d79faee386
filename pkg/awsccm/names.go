package awsccm

// Names of the objects, equal to those of the chart that
// kubernetes/cloud-provider-aws publishes, so that either upgrades the other.
const (
	ReleaseName   = "aws-cloud-controller-manager"
	Namespace     = "kube-system"
	ChartName     = "aws-cloud-controller-manager"
	DaemonSetName = "aws-cloud-controller-manager"
	// ContainerName is the container's name in the DaemonSet's pods.
	ContainerName = "aws-cloud-controller-manager"
	// ServiceAccountName is the account the pods run as.
	ServiceAccountName = "cloud-controller-manager"
	// SelectorLabel is the label of the DaemonSet's pods; its value is DaemonSetName.
	SelectorLabel = "k8s-app"
	// DefaultRepository is where kubernetes/cloud-provider-aws publishes images.
	DefaultRepository = "registry.k8s.io/provider-aws/cloud-controller-manager"
)

// Leases of leader election, all in Namespace.
const (
	// MigrationLease is shared by kube-controller-manager and the cloud
	// controller manager while leader migration is on
	// (k8s.io/controller-manager:pkg/leadermigration/config/default.go).
	MigrationLease = "cloud-provider-extraction-migration"
	// MainLease is the cloud controller manager's own.
	MainLease = "cloud-controller-manager"
)

// FieldManager owns the fields this package writes.
const FieldManager = "awsmigrate"

// ManagedBy is the value of label app.kubernetes.io/managed-by on objects that
// this package creates itself and may therefore change and delete.
const ManagedBy = "awsmigrate"

const managedByLabel = "app.kubernetes.io/managed-by"

// Flags of the cloud controller manager that decide its safety.
const (
	flagLeaderMigration = "--enable-leader-migration"
	flagMigrationConfig = "--leader-migration-config"
	flagCloudRoutes     = "--configure-cloud-routes"
	flagClusterCIDR     = "--cluster-cidr"
	flagCloudProvider   = "--cloud-provider"
	flagCloudConfig     = "--cloud-config"
	flagLeaderElect     = "--leader-elect"
)
