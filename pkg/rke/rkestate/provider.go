package rkestate

// Names of the cloud provider in cluster.yml and in the state.
const (
	ProviderAWS      = "aws"
	ProviderExternal = "external-aws"
)
