package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/test/lab/node"
)

// Status is the output of `lab status`.
type Status struct {
	Number        int             `json:"number"`
	Dir           string          `json:"dir"`
	Phase         string          `json:"phase"`
	Detail        string          `json:"detail,omitempty"`
	BootSeconds   float64         `json:"bootSeconds,omitempty"`
	Distro        Distro          `json:"distro"`
	Layout        Layout          `json:"layout"`
	Processes     []ProcessStatus `json:"processes"`
	Machines      []MachineStatus `json:"machines"`
	Leases        []LeaseStatus   `json:"leases"`
	LoadBalancers []string        `json:"loadBalancers"`
	Additions     []node.Addition `json:"additions"`
	Problems      []string        `json:"problems,omitempty"`
}

// ProcessStatus is a running process.
type ProcessStatus struct {
	Name    string    `json:"name"`
	Kind    string    `json:"kind"`
	Node    string    `json:"node,omitempty"`
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
}

// MachineStatus is a machine and its Node.
type MachineStatus struct {
	Name           string `json:"name"`
	Roles          string `json:"roles"`
	Instance       string `json:"instance"`
	State          string `json:"state"`
	Zone           string `json:"zone"`
	Address        string `json:"address"`
	PrivateDNSName string `json:"privateDNSName"`
	Node           string `json:"node,omitempty"`
	Ready          bool   `json:"ready"`
	Cordoned       bool   `json:"cordoned"`
	ProviderID     string `json:"providerID,omitempty"`
}

// LeaseStatus is the state of a leader-election Lease.
type LeaseStatus struct {
	Name       string  `json:"name"`
	Holder     string  `json:"holder,omitempty"`
	AgeSeconds float64 `json:"ageSeconds"` // since the last renewal
	Exists     bool    `json:"exists"`
}

// leaseNames returns the Leases of kube-system that matter for a migration.
func leaseNames() []string {
	return []string{"kube-controller-manager", "cloud-controller-manager", "cloud-provider-extraction-migration"}
}

// status collects the state of everything. A part that cannot be read is a problem, not a
// failure.
func (l *Lab) status(ctx context.Context) Status {
	s := Status{Number: l.addr.Number, Dir: l.files.Dir, Distro: l.options.Distro, Layout: l.options.Layout, Additions: l.options.additions()}
	var booted time.Duration
	s.Phase, s.Detail, booted = l.state.get()
	s.BootSeconds = booted.Seconds()
	for _, p := range l.supervisor.Processes() {
		s.Processes = append(s.Processes, ProcessStatus{Name: p.Spec.Name, Kind: p.Spec.Kind, Node: p.Spec.Node, PID: p.Pid(), Started: p.Started})
	}
	if err := l.supervisor.Err(); err != nil {
		s.Problems = append(s.Problems, err.Error())
	}
	if l.machines == nil {
		return s
	}
	for _, lb := range l.cloud.LoadBalancers() {
		s.LoadBalancers = append(s.LoadBalancers, fmt.Sprintf("%s %s (%d instances)", lb.Name, lb.DNSName, len(lb.Instances)))
	}
	nodes, err := l.nodesByMachine(ctx)
	if err != nil {
		s.Problems = append(s.Problems, err.Error())
	}
	for _, m := range l.machines.list() {
		s.Machines = append(s.Machines, l.machineStatus(m, nodes))
	}
	s.Leases, err = l.leases(ctx)
	if err != nil {
		s.Problems = append(s.Problems, err.Error())
	}
	return s
}

func (l *Lab) nodesByMachine(ctx context.Context) (map[string]corev1.Node, error) {
	list, err := l.down.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing Nodes: %w", err)
	}
	out := map[string]corev1.Node{}
	for _, n := range list.Items {
		if m := l.machineOf(n); m != nil {
			out[m.UID] = n
		}
	}
	return out, nil
}

func (l *Lab) machineStatus(m *machine, nodes map[string]corev1.Node) MachineStatus {
	s := MachineStatus{
		Name: m.Name, Instance: m.Instance, Zone: m.Facts.Zone, Address: m.Facts.IP, PrivateDNSName: m.Facts.PrivateDNSName,
		Roles: rolesText(m.Facts.Roles),
	}
	if instance, ok := l.cloud.Instance(m.Instance); ok {
		s.State = instance.State
	}
	if n, ok := nodes[m.UID]; ok {
		s.Node, s.Ready, s.Cordoned, s.ProviderID = n.Name, nodeReady(n), n.Spec.Unschedulable, n.Spec.ProviderID
	}
	return s
}

func rolesText(r node.Roles) string {
	var out []string
	for _, role := range []struct {
		name string
		has  bool
	}{{"control-plane", r.ControlPlane}, {"etcd", r.Etcd}, {"worker", r.Worker}} {
		if role.has {
			out = append(out, role.name)
		}
	}
	return strings.Join(out, ",")
}

func (l *Lab) leases(ctx context.Context) ([]LeaseStatus, error) {
	var out []LeaseStatus
	var errs []error
	for _, name := range leaseNames() {
		lease, err := l.down.CoordinationV1().Leases("kube-system").Get(ctx, name, metav1.GetOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("reading Lease %s: %w", name, err))
			continue
		}
		out = append(out, leaseStatus(name, lease, err == nil, time.Now()))
	}
	return out, errors.Join(errs...)
}

func leaseStatus(name string, lease *coordinationv1.Lease, exists bool, now time.Time) LeaseStatus {
	s := LeaseStatus{Name: name, Exists: exists}
	if !exists {
		return s
	}
	if lease.Spec.HolderIdentity != nil {
		s.Holder = *lease.Spec.HolderIdentity
	}
	if lease.Spec.RenewTime != nil {
		s.AgeSeconds = now.Sub(lease.Spec.RenewTime.Time).Seconds()
	}
	return s
}

// Print writes the status for people.
func (s Status) Print(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "Lab %d in %s: %s", s.Number, s.Dir, s.Phase)
	if s.Detail != "" {
		fmt.Fprintf(out, " (%s)", s.Detail)
	}
	if s.BootSeconds > 0 {
		fmt.Fprintf(out, ", booted in %.0f s", s.BootSeconds)
	}
	fmt.Fprintf(out, "\n\nMACHINE\tROLES\tNODE\tREADY\tINSTANCE\tSTATE\tZONE\tADDRESS\n")
	for _, m := range s.Machines {
		ready := fmt.Sprint(m.Ready)
		if m.Cordoned {
			ready += ",cordoned"
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", m.Name, m.Roles, m.Node, ready, m.Instance, m.State, m.Zone, m.Address)
	}
	fmt.Fprintf(out, "\nLEASE\tHOLDER\tRENEWED\n")
	for _, l := range s.Leases {
		if !l.Exists {
			fmt.Fprintf(out, "%s\t(none)\t\n", l.Name)
			continue
		}
		fmt.Fprintf(out, "%s\t%s\t%.1f s ago\n", l.Name, l.Holder, l.AgeSeconds)
	}
	fmt.Fprintf(out, "\nPROCESS\tPID\tSTARTED\n")
	for _, p := range s.Processes {
		fmt.Fprintf(out, "%s\t%d\t%s\n", p.Name, p.PID, p.Started.Format("15:04:05"))
	}
	fmt.Fprintf(out, "\nLOAD BALANCER\n")
	for _, lb := range s.LoadBalancers {
		fmt.Fprintln(out, lb)
	}
	fmt.Fprintf(out, "\nTHE LAB ADDS TO\tWHAT\tWHY\n")
	for _, a := range s.Additions {
		fmt.Fprintf(out, "%s\t%s\t%s\n", a.Component, a.Flag, a.Why)
	}
	for _, p := range s.Problems {
		fmt.Fprintf(out, "PROBLEM: %s\n", p)
	}
	return out.Flush()
}
