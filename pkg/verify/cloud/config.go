package cloud

// Config holds the values of a cloud config that replace facts from EC2 or the instance
// (kubernetes/cloud-provider-aws:pkg/providers/v1@v1.26.14, aws.go and aws_routes.go; the same in
// the in-tree provider):
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
// ElbSecurityGroup replaces the group of each load balancer, which no check uses. The nodes' groups
// are found by their tag with or without it.
type Config struct {
	ClusterID, ClusterTag string
	VPC, SubnetID         string
	RouteTableID          string
	RoleARN               string
	Zone, Region          string
	NoIngress             bool
}

// Cluster returns the cluster ID, or "" if the tags decide.
func (c Config) Cluster() string {
	if c.ClusterTag != "" {
		return c.ClusterTag
	}
	return c.ClusterID
}

// Contradicts reports whether the two keys name different clusters, which ends a controller
// manager.
func (c Config) Contradicts() bool {
	return c.ClusterTag != "" && c.ClusterID != "" && c.ClusterTag != c.ClusterID
}

// Place returns the VPC that a controller manager uses instead of its instance's, or "".
func (c Config) Place() string {
	if c.VPC == "" || c.SubnetID == "" && c.RoleARN == "" || c.Cluster() == "" {
		return ""
	}
	return c.VPC
}

// Asks returns the region that a controller manager uses instead of its instance's, or "".
func (c Config) Asks() string {
	if c.Region != "" {
		return c.Region
	}
	return RegionOf(c.Zone)
}
