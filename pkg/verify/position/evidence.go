package position

import "github.com/awsmigrate/awsmigrate/pkg/verify/component"

// Answer is the result of a reading. The zero value means that it could not be read.
type Answer int

const (
	// Unseen means that it could not be read.
	Unseen Answer = iota
	// No means that it does not exist or does not hold.
	No
	// Partial means that a part of it exists or holds.
	Partial
	// Yes means that it exists or holds.
	Yes
)

// Owner is the component that holds the migration lease.
type Owner int

const (
	// OwnerUnseen means that the leases could not be read.
	OwnerUnseen Owner = iota
	// NoLease means that the Lease does not exist.
	NoLease
	// NoHolder means that the Lease has no holder, or that the holder is not alive.
	NoHolder
	// HeldByKCM means that the holder is a kube-controller-manager, alive or not yet expired.
	HeldByKCM
	// HeldByCCM means that the holder is an aws-cloud-controller-manager.
	HeldByCCM
)

// KCM is one kube-controller-manager of a control-plane machine.
type KCM struct {
	Machine  string // name of the machine or its Node
	Mode     component.Mode
	Why      string // why the mode is unknown
	Provider string // last --cloud-provider, for messages; empty without the flag
}

// CCM is the aws-cloud-controller-manager DaemonSet with its pods.
type CCM struct {
	Seen        Answer // Yes, No, or Unseen if it could not be read
	Why         string // why it could not be read
	Migration   bool   // the pod template has enable-leader-migration
	PodsWith    int    // pods that run with the flag
	PodsWithout int    // pods that run without it
	Complete    bool   // a pod on every control-plane Node, all Ready
	Image       string
	// DefaultUnsafe means that the flag alone leaves the service and route controllers of
	// this image outside the migration lease (from v1.28, k8s.io/cloud-provider v0.28), or
	// that the image's version cannot be read.
	DefaultUnsafe bool
	ConfigFile    bool // has --leader-migration-config wherever its image needs that
}

// Evidence holds the facts that the position is computed from. Each can be missing.
type Evidence struct {
	// KCMs has one entry for every expected control-plane machine, also if its arguments
	// could not be read.
	KCMs []KCM
	CCM  CCM
	// Grant is the answer of a SubjectAccessReview: whether the KCM's user may get and update
	// the migration lease. Partial means one of the two.
	Grant Answer
	// OwnGrant reports whether awsmigrate's Role or RoleBinding exists. A grant from another
	// source does not keep a cluster below P5.
	OwnGrant Answer
	Lease    Owner
}
