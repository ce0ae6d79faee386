package awsccm

// Names of the chart's objects besides wellknown.CCM, equal to those of upstream's chart.
const (
	// ServiceAccountName is the account the pods run as.
	ServiceAccountName = "cloud-controller-manager"
	// SelectorLabel is the label of the DaemonSet's pods; its value is wellknown.CCM.
	SelectorLabel = "k8s-app"
	// DefaultRepository is where kubernetes/cloud-provider-aws publishes images.
	DefaultRepository = "registry.k8s.io/provider-aws/cloud-controller-manager"
)

// managedByLabel, with wellknown.FieldManager for its value, is on objects that this
// package creates itself and may therefore change and delete.
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
