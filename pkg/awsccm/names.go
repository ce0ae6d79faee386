package awsccm

// Names of the chart's objects in addition to wellknown.CCM, equal to those of upstream's
// chart.
const (
	// ServiceAccountName is the service account of the pods.
	ServiceAccountName = "cloud-controller-manager"
	// DefaultRepository is the repository to which kubernetes/cloud-provider-aws publishes
	// images.
	DefaultRepository = "registry.k8s.io/provider-aws/cloud-controller-manager"
)
