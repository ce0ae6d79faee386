package record

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Form is the version of the format. A reader refuses any other version. Each new kind of entry
// increments it.
const Form = "awsmigrate.io/record/v1"

// Entry is one line of a record: the time of its receipt, and exactly one of the other fields.
type Entry struct {
	// At is the time of receipt by the recorder. It starts from the wall clock of the recorder's
	// machine and advances by the monotonic clock, so all entries of a recorder are comparable.
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

// Header is the first entry. Another header may follow once more of the cluster is known.
type Header struct {
	Form       string `json:"form"`
	Version    string `json:"version"`           // version of awsmigrate
	By         string `json:"by,omitempty"`      // user@host of the recorder
	Name       string `json:"name"`              // of the cluster, as given to the recorder
	UID        string `json:"uid,omitempty"`     // of namespace kube-system, or empty if it is not readable
	Server     string `json:"server"`            // address, without credentials
	Kubernetes string `json:"kubernetes"`        // the API server's version
	Context    string `json:"context,omitempty"` // why it was recorded, in the user's words
}

// Lease is one version of a lease. Its times are of the holder's clock.
type Lease struct {
	Name            string    `json:"name"`
	Gone            bool      `json:"gone,omitempty"` // it was deleted, or never existed
	UID             string    `json:"uid,omitempty"`
	ResourceVersion string    `json:"resourceVersion,omitempty"`
	Holder          string    `json:"holder,omitempty"` // identity, or empty without a holder
	Seconds         int       `json:"seconds,omitempty"`
	Acquire         time.Time `json:"acquire,omitzero"`
	Renew           time.Time `json:"renew,omitzero"`
	Transitions     int       `json:"transitions,omitempty"`
	Manager         string    `json:"manager,omitempty"` // field manager of renewTime: the executable's name
}

// Checked holds the versions of the leases that an API server had committed when it was asked,
// past every cache. A newer version was written after Sent.
type Checked struct {
	Versions map[string]Version `json:"versions"` // by lease name
}

// Version is the answer for one lease.
type Version struct {
	Sent            time.Time `json:"sent"`                      // when the request was sent, by the recorder's clock
	ResourceVersion string    `json:"resourceVersion,omitempty"` // empty if the lease does not exist
}

// Pod is a change of a controller manager's pod.
type Pod struct {
	Namespace     string      `json:"namespace"`
	Name          string      `json:"name"`
	UID           string      `json:"uid"`
	Program       string      `json:"program"` // wellknown.KCM or wellknown.CCM
	Node          string      `json:"node,omitempty"`
	Mirror        bool        `json:"mirror,omitempty"` // mirror of a static pod
	HostNetwork   bool        `json:"hostNetwork,omitempty"`
	Started       time.Time   `json:"started,omitzero"` // status.startTime, kubelet's clock
	Ready         bool        `json:"ready,omitempty"`
	Deleting      bool        `json:"deleting,omitempty"`
	Gone          bool        `json:"gone,omitempty"` // the object is gone; the process may still run
	Image         string      `json:"image,omitempty"`
	Flags         []string    `json:"flags,omitempty"`         // the program's flags that Flags lists, as name=value
	Frozen        string      `json:"frozen,omitempty"`        // why the flags may not be those in force
	MigrationFile string      `json:"migrationFile,omitempty"` // digest of the leader migration file, from the pod's annotation by awsmigrate's chart
	Containers    []Container `json:"containers,omitempty"`
}

// Container is a run of the program as its kubelet reported it: the present or the previous one.
type Container struct {
	ID       string    `json:"id,omitempty"` // empty if the kubelet knows none
	Restarts int32     `json:"restarts"`
	State    State     `json:"state"`
	Started  time.Time `json:"started,omitzero"`  // kubelet's clock, whole seconds
	Finished time.Time `json:"finished,omitzero"` // kubelet's clock, whole seconds
	Exit     int32     `json:"exit,omitempty"`
	Reason   string    `json:"reason,omitempty"`
}

// State is the state of a container.
type State string

// States of a container.
const (
	Running    State = "running"
	Waiting    State = "waiting"
	Terminated State = "terminated"
)

// Ended reports whether this proves that the container's process has exited.
func (c Container) Ended() bool {
	return c.State == Terminated && downstream.End{ID: c.ID, Reason: c.Reason, At: c.Finished}.Certain()
}

// Node is a change of a Node.
type Node struct {
	Name          string    `json:"name"`
	UID           string    `json:"uid"`
	ProviderID    string    `json:"providerID,omitempty"`
	Ready         string    `json:"ready,omitempty"` // status of the condition
	Unschedulable bool      `json:"unschedulable,omitempty"`
	Uninitialized bool      `json:"uninitialized,omitempty"` // taint node.cloudprovider.kubernetes.io/uninitialized
	Hostname      string    `json:"hostname,omitempty"`      // label kubernetes.io/hostname
	Addresses     []Address `json:"addresses,omitempty"`
	Machine       string    `json:"machine,omitempty"` // annotation cluster.x-k8s.io/machine: its Machine
	Gone          bool      `json:"gone,omitempty"`
}

// Address is an address of a Node.
type Address struct {
	Type    string `json:"type"`
	Address string `json:"address"`
}

// Service is a change of a Service that is or was of type LoadBalancer.
type Service struct {
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	UID       string   `json:"uid"`
	Ingress   []string `json:"ingress,omitempty"` // host names and addresses
	Gone      bool     `json:"gone,omitempty"`    // or it has another type now
}

// Stream names a kind of objects that is watched.
type Stream string

// The streams of a record.
const (
	Leases   Stream = "leases"
	Pods     Stream = "pods"
	Nodes    Stream = "nodes"
	Services Stream = "services"
)

// Begun marks the end of a stream's first list: from here on it is watched.
type Begun struct {
	Stream Stream `json:"stream"`
}

// Unwatched marks a time in which a stream was not watched. If Lost is false the watch resumed
// where it broke off, and its events are late but complete.
type Unwatched struct {
	Stream Stream    `json:"stream"`
	From   time.Time `json:"from"`  // the last moment at which it was certainly watched
	Until  time.Time `json:"until"` // zero if the record ends so
	Lost   bool      `json:"lost"`
	Why    string    `json:"why,omitempty"`
	// Unreadable reports whether lines of the record were lost, instead of watches: no new list
	// follows them. No recorder writes it.
	Unreadable bool `json:"-"`
}

// End is the last entry of a completed record.
type End struct {
	Why string `json:"why,omitempty"`
}

// LeaseNames returns the recorded leases, all in wellknown.System.
func LeaseNames() []string {
	return []string{wellknown.MigrationLease, wellknown.KCMLease, wellknown.CCMLease}
}

// Flags returns the recorded flags of a controller manager: those that decide which controllers
// it runs under which lease. None of them holds a secret.
func Flags() []string {
	return []string{"cloud-provider", "enable-leader-migration", "leader-migration-config", "controllers", "configure-cloud-routes",
		"allocate-node-cidrs", "leader-elect", "leader-elect-lease-duration", "leader-elect-renew-deadline", "leader-elect-retry-period",
		"leader-elect-resource-lock", "leader-elect-resource-name", "leader-elect-resource-namespace"}
}
