package rke

// Names of the cloud provider in cluster.yml and in the state.
const (
	providerAWS      = "aws"
	providerExternal = "external-aws"
)
