package awsccm

// Names of the chart's objects besides wellknown.CCM, equal to those of upstream's chart.
const (
	// ServiceAccountName is the account the pods run as.
	ServiceAccountName = "cloud-controller-manager"
	// DefaultRepository is where kubernetes/cloud-provider-aws publishes images.
	DefaultRepository = "registry.k8s.io/provider-aws/cloud-controller-manager"
)
