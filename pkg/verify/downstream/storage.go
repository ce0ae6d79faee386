package downstream

// Names of the EBS drivers.
const (
	InTreeEBS = "kubernetes.io/aws-ebs"
	CSIEBS    = "ebs.csi.aws.com"
)

// AnnotationMigrated on a CSINode lists the in-tree plugins that the kubelet migrated to CSI
// drivers.
const AnnotationMigrated = "storage.alpha.kubernetes.io/migrated-plugins"

// Volume is a PersistentVolume on EBS.
type Volume struct {
	Name   string
	InTree bool // spec.awsElasticBlockStore
	Claim  string
}

// StorageClass is a StorageClass on EBS.
type StorageClass struct{ Name, Provisioner string }

// CSINode describes the EBS driver of a node.
type CSINode struct {
	Name     string
	EBS      bool   // driver ebs.csi.aws.com is registered
	Migrated string // the annotation's value
}

// Service is a Service of type LoadBalancer.
type Service struct {
	Namespace, Name, UID string
	Class                string // spec.loadBalancerClass
	Type                 string // annotation aws-load-balancer-type
	Hostnames            []string
	Deleting             bool
}

// String returns "Service namespace/name".
func (s Service) String() string { return "Service " + s.Namespace + "/" + s.Name }

// Elsewhere reports whether a controller other than the in-tree one and the CCM manages the
// load balancer.
func (s Service) Elsewhere() bool {
	return s.Class != "" || s.Type == "external" || s.Type == "nlb-ip"
}
