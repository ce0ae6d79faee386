package position

import "github.com/awsmigrate/awsmigrate/pkg/verify/component"

// Answer is what a look found. The zero value means that nobody could look.
type Answer int

const (
	// Unseen could not look.
	Unseen Answer = iota
	// No looked, and it is not so.
	No
	// Partial looked, and some of it is so.
	Partial
	// Yes looked, and it is so.
	Yes
)

// Owner is who holds the migration lease.
type Owner int

const (
	// OwnerUnseen could not read the leases.
	OwnerUnseen Owner = iota
	// NoLease says that the Lease object does not exist.
	NoLease
	// Nobody says that it exists, and its holder is empty or no process that lives.
	Nobody
	// HeldByKCM names a kube-controller-manager, alive or not yet expired.
	HeldByKCM
	// HeldByCCM names an aws-cloud-controller-manager.
	HeldByCCM
)

// KCM is one kube-controller-manager of a control-plane machine.
type KCM struct {
	Machine  string // name of the machine or its Node
	Mode     component.Mode
	Why      string // why the mode is unknown
	Provider string // last --cloud-provider, for messages; "" without the flag
}

// CCM is the aws-cloud-controller-manager DaemonSet with its pods.
type CCM struct {
	Seen        Answer // Unseen: could not look; No: there is none; Yes
	Why         string // why it could not be seen
	Migration   bool   // the pod template has enable-leader-migration
	PodsWith    int    // pods that run with the flag
	PodsWithout int    // pods that run without it
	Complete    bool   // a pod on every control-plane Node, all Ready
	Image       string
	// DefaultUnsafe: with the flag alone this image leaves service and route
	// outside the migration lease (from v1.28, k8s.io/cloud-provider v0.28), or
	// its version cannot be read.
	DefaultUnsafe bool
	ConfigFile    bool // has --leader-migration-config wherever its image needs that
}

// Evidence is everything the position is computed from. Each part says whether
// it was seen.
type Evidence struct {
	// KCMs has one entry for every control-plane machine there should be, also
	// for those whose arguments could not be read.
	KCMs []KCM
	CCM  CCM
	// Grant is the answer of a SubjectAccessReview: may the KCM's user get and
	// update the migration lease. Partial: one of the two.
	Grant Answer
	// OwnGrant says whether our Role or RoleBinding exists. A right that comes
	// from elsewhere does not keep a cluster from being finished.
	OwnGrant Answer
	Lease    Owner
}
