package record

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Form is the version of the form. A reader refuses another: it counts up with each kind of entry
// that is added.
const Form = "awsmigrate.io/record/v1"

// Entry is one line of a record: when the recorder had it, and exactly one of what
// follows.
type Entry struct {
	// At is when the recorder received it: the wall clock of the recorder's machine at
	// the start, and the monotonic clock from then on. All of its entries can be
	// compared with each other.
	At time.Time `json:"at"`

	Header   *Header    `json:"header,omitempty"`
	Lease    *Lease     `json:"lease,omitempty"`
	Checked  *Checked   `json:"checked,omitempty"`
	Pod      *Pod       `json:"pod,omitempty"`
	Node     *Node      `json:"node,omitempty"`
	Machine  *Machine   `json:"machine,omitempty"`
	Service  *Service   `json:"service,omitempty"`
	Begun    *Begun     `json:"begun,omitempty"`
	Missed   *Unwatched `json:"unwatched,omitempty"`
	Run      *Run       `json:"run,omitempty"`
	Step     *Step      `json:"step,omitempty"`
	Approval *Approval  `json:"approval,omitempty"`
	Former   *Former    `json:"former,omitempty"`
	Edit     *Edit      `json:"edit,omitempty"`
	Write    *Write     `json:"write,omitempty"`
	Audit    *Audit     `json:"audit,omitempty"`
	End      *End       `json:"end,omitempty"`
}

// Header is the first entry. Another one may follow, where more has become known of the
// cluster.
type Header struct {
	Form       string `json:"form"`
	Version    string `json:"version"`           // of awsmigrate
	By         string `json:"by,omitempty"`      // user@host of the recorder
	Name       string `json:"name"`              // of the cluster, as the recorder was told it
	UID        string `json:"uid,omitempty"`     // of namespace kube-system; "" where it may not be read
	Server     string `json:"server"`            // address, without credentials
	Kubernetes string `json:"kubernetes"`        // the API server's version
	Context    string `json:"context,omitempty"` // why it was recorded, in the words of whoever started it
}

// Lease is one version of one of the leases. Times in it are of the holder's clock.
type Lease struct {
	Name            string    `json:"name"`
	Gone            bool      `json:"gone,omitempty"` // it was deleted, or there is none
	UID             string    `json:"uid,omitempty"`
	ResourceVersion string    `json:"resourceVersion,omitempty"`
	Holder          string    `json:"holder,omitempty"` // identity; "": nobody
	Seconds         int       `json:"seconds,omitempty"`
	Acquire         time.Time `json:"acquire,omitzero"`
	Renew           time.Time `json:"renew,omitzero"`
	Transitions     int       `json:"transitions,omitempty"`
	Manager         string    `json:"manager,omitempty"` // field manager of renewTime: the executable
}

// Checked says which versions of the leases an API server had committed when it was
// asked, past every cache. A version that is newer was written after Sent.
type Checked struct {
	Versions map[string]Version `json:"versions"` // by the lease's name
}

// Version is the answer about one lease.
type Version struct {
	Sent            time.Time `json:"sent"`                      // when it was asked for, by the recorder's clock
	ResourceVersion string    `json:"resourceVersion,omitempty"` // "": there is no such lease
}

// Pod is a pod of a controller manager, when something of this changed.
type Pod struct {
	Namespace     string      `json:"namespace"`
	Name          string      `json:"name"`
	UID           string      `json:"uid"`
	Program       string      `json:"program"` // wellknown.KCM or wellknown.CCM
	Node          string      `json:"node,omitempty"`
	Mirror        bool        `json:"mirror,omitempty"` // of a static pod
	HostNetwork   bool        `json:"hostNetwork,omitempty"`
	Started       time.Time   `json:"started,omitzero"` // status.startTime, kubelet's clock
	Ready         bool        `json:"ready,omitempty"`
	Deleting      bool        `json:"deleting,omitempty"`
	Gone          bool        `json:"gone,omitempty"` // the object is gone, which says nothing of the process
	Image         string      `json:"image,omitempty"`
	Flags         []string    `json:"flags,omitempty"`         // of the program's flags those of Flags, as name=value
	Frozen        string      `json:"frozen,omitempty"`        // why the flags may not be those in force
	MigrationFile string      `json:"migrationFile,omitempty"` // digest of the leader migration file, as awsmigrate's chart notes it on the pod
	Containers    []Container `json:"containers,omitempty"`
}

// Container is one run of the program as its kubelet reported it: the present one,
// and the one before.
type Container struct {
	ID       string    `json:"id,omitempty"` // "" where the kubelet knows none
	Restarts int32     `json:"restarts"`
	State    State     `json:"state"`
	Started  time.Time `json:"started,omitzero"`  // kubelet's clock, whole seconds
	Finished time.Time `json:"finished,omitzero"` // kubelet's clock, whole seconds
	Exit     int32     `json:"exit,omitempty"`
	Reason   string    `json:"reason,omitempty"`
}

// State is a container's.
type State string

// States.
const (
	Running    State = "running"
	Waiting    State = "waiting"
	Terminated State = "terminated"
)

// Ended says whether this proves that the container's process is gone.
func (c Container) Ended() bool {
	return c.State == Terminated && downstream.End{ID: c.ID, Reason: c.Reason, At: c.Finished}.Certain()
}

// Node is a Node, when something of this changed.
type Node struct {
	Name          string    `json:"name"`
	UID           string    `json:"uid"`
	ProviderID    string    `json:"providerID,omitempty"`
	Ready         string    `json:"ready,omitempty"` // status of the condition
	Unschedulable bool      `json:"unschedulable,omitempty"`
	Uninitialized bool      `json:"uninitialized,omitempty"` // taint node.cloudprovider.kubernetes.io/uninitialized
	Hostname      string    `json:"hostname,omitempty"`      // label kubernetes.io/hostname
	Addresses     []Address `json:"addresses,omitempty"`
	Machine       string    `json:"machine,omitempty"` // annotation cluster.x-k8s.io/machine: the Machine that it is of
	Gone          bool      `json:"gone,omitempty"`
}

// Address is an address of a Node.
type Address struct {
	Type    string `json:"type"`
	Address string `json:"address"`
}

// Service is a Service of type LoadBalancer, or one that was, when something of this
// changed.
type Service struct {
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	UID       string   `json:"uid"`
	Ingress   []string `json:"ingress,omitempty"` // host names and addresses
	Gone      bool     `json:"gone,omitempty"`    // or of another type now
}

// Stream is one thing that is watched.
type Stream string

// Streams.
const (
	Leases   Stream = "leases"
	Pods     Stream = "pods"
	Nodes    Stream = "nodes"
	Services Stream = "services"
)

// Begun says that all there is of a stream has been listed: from here on it is watched.
type Begun struct {
	Stream Stream `json:"stream"`
}

// Unwatched says that a stream was not seen for a while. Where Lost is false it went on
// where it had broken off, and nothing is missing: it only came late.
type Unwatched struct {
	Stream Stream    `json:"stream"`
	From   time.Time `json:"from"`  // the last moment in which it was certainly seen
	Until  time.Time `json:"until"` // zero: the record ends so
	Lost   bool      `json:"lost"`
	Why    string    `json:"why,omitempty"`
	// Unreadable says that lines of the record were lost, and not watches: nothing is listed
	// again behind them. No recorder writes it.
	Unreadable bool `json:"-"`
}

// End is the last entry of a record that was ended and not cut off.
type End struct {
	Why string `json:"why,omitempty"`
}

// LeaseNames are the leases that are recorded, all in wellknown.System.
func LeaseNames() []string {
	return []string{wellknown.MigrationLease, wellknown.KCMLease, wellknown.CCMLease}
}

// Flags are those of a controller manager that a record keeps: what decides which
// controllers it runs under which lease. None of them holds a secret.
func Flags() []string {
	return []string{"cloud-provider", "enable-leader-migration", "leader-migration-config", "controllers", "configure-cloud-routes",
		"allocate-node-cidrs", "leader-elect", "leader-elect-lease-duration", "leader-elect-renew-deadline", "leader-elect-retry-period",
		"leader-elect-resource-lock", "leader-elect-resource-name", "leader-elect-resource-namespace"}
}
