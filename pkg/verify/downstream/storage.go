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
type StorageClass struct {
	Name, Provisioner string
	Default           bool `json:",omitempty"` // has the annotation AnnotationDefaultClass
}

// AnnotationDefaultClass marks the class of claims that name none.
const AnnotationDefaultClass = "storageclass.kubernetes.io/is-default-class"

// String returns "StorageClass name", and whether it is the default.
func (c StorageClass) String() string {
	if c.Default {
		return "StorageClass " + c.Name + " (default)"
	}
	return "StorageClass " + c.Name
}

// EBSDriver describes a workload of the EBS CSI driver.
type EBSDriver struct {
	Image       string
	Ready       int32
	HostNetwork bool `json:",omitempty"`
	Identity    bool `json:",omitempty"` // has a role by web identity, or keys that are not optional
}

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
	// Spec is a hash of the fields and annotations from which a load balancer is made.
	Spec string `json:",omitempty"`
}

// String returns "Service namespace/name".
func (s Service) String() string { return "Service " + s.Namespace + "/" + s.Name }

// Elsewhere reports whether a controller other than the in-tree one and the CCM manages the
// load balancer.
func (s Service) Elsewhere() bool {
	return s.Class != "" || s.Type == "external" || s.Type == "nlb-ip"
}
