package cloud

// Config is what a cloud config says in the place of facts that a controller manager
// takes from EC2 or its instance otherwise
// (kubernetes/cloud-provider-aws:pkg/providers/v1@v1.26.14, aws.go and aws_routes.go;
// the in-tree provider is the same):
//
//	key                          fact                                       checks
//	KubernetesClusterID, …Tag    cluster id: no tag is read at the start    406, 407, 408, 410, 422
//	VPC, with SubnetID or        VPC and subnet of the controller manager:  408, 423
//	RoleARN and a cluster id     its own instance is not looked at
//	SubnetID                     the subnet where none is tagged            408
//	RouteTableID                 the one route table                        410
//	RoleARN                      the role whose rights count                418
//	Zone, Region                 the region that is asked                   423
//	DisableSecurityGroupIngress  no group of a node is opened               407
//
// ElbSecurityGroup replaces the group of each load balancer, which no check judges; the
// nodes' groups are looked for by their tag with it as without.
type Config struct {
	ClusterID, ClusterTag string
	VPC, SubnetID         string
	RouteTableID          string
	RoleARN               string
	Zone, Region          string
	NoIngress             bool
}

// Cluster returns the id of the cluster, or "" if the tags decide.
func (c Config) Cluster() string {
	if c.ClusterTag != "" {
		return c.ClusterTag
	}
	return c.ClusterID
}

// Contradicts reports whether both keys name a cluster, and not the same: a controller
// manager ends then.
func (c Config) Contradicts() bool {
	return c.ClusterTag != "" && c.ClusterID != "" && c.ClusterTag != c.ClusterID
}

// Place returns the VPC in which a controller manager works instead of its own
// instance's, or "".
func (c Config) Place() string {
	if c.VPC == "" || c.SubnetID == "" && c.RoleARN == "" || c.Cluster() == "" {
		return ""
	}
	return c.VPC
}

// Asks returns the region that a controller manager asks instead of its own
// instance's, or "".
func (c Config) Asks() string {
	if c.Region != "" {
		return c.Region
	}
	return RegionOf(c.Zone)
}
