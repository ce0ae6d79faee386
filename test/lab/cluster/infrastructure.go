package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sort"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
	"github.com/awsmigrate/awsmigrate/test/lab/node"
	"github.com/awsmigrate/awsmigrate/test/lab/nodedriver"
	"github.com/awsmigrate/awsmigrate/test/lab/rancher"
)

// metadataPort is the port of a machine's metadata service on the machine's own address.
const metadataPort = "1169"

// machines is the lab's infrastructure: an EC2 instance with its metadata service and a node
// agent for each Machine.
type machines struct {
	options Options
	cloud   *aws.Cloud
	mgmt    kubernetes.Interface
	addr    Addresses
	// agent completes a node agent's configuration.
	agent func(node.Facts, io.Writer) node.Config
	boot  func(*machine) *realMachine // of real machines of RKE2, else nil
	files Files
	ctx   context.Context // of the lab, because a machine outlives the call that created it

	mu   sync.Mutex
	byID map[string]*machine // by namespace/name of the Machine
}

type machine struct {
	rancher.Machine
	Facts    node.Facts
	Instance string
	index    int
	agent    *node.Agent
	real     *realMachine // nil for the stand-in
	stop     context.CancelFunc
	done     chan struct{}
	metadata *http.Server
	log      *os.File
}

var (
	_ rancher.Infrastructure = (*machines)(nil)
	_ rancher.Addresses      = (*machines)(nil)
)

// Address returns the machine's private address, or empty if the machine does not exist.
func (m *machines) Address(namespace, name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if made, ok := m.byID[namespace+"/"+name]; ok {
		return made.Facts.PrivateIP
	}
	return ""
}

// Provision creates the instance, its metadata service and its agent, unless they exist.
func (m *machines) Provision(ctx context.Context, want rancher.Machine) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.byID[want.Namespace+"/"+want.Name]; ok {
		return nil
	}
	instance, host, err := m.launch(want)
	if err != nil {
		return fmt.Errorf("provisioning machine %s/%s: %w", want.Namespace, want.Name, err)
	}
	return m.adopt(ctx, want, instance, host)
}

// register does what a person does for a machine of no pool: it runs an instance from a stock
// image, then Rancher's registration command on it, with its private DNS name as --node-name.
func (m *machines) register(ctx context.Context, name string, want rancher.Machine, with func(context.Context, rancher.Machine) (rancher.Machine, error)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	instance, err := m.run(name, want)
	if err != nil {
		return fmt.Errorf("registering machine %s: %w", name, err)
	}
	want.NodeName = instance.PrivateDNSName
	registered, err := with(ctx, want)
	if err != nil {
		return err
	}
	return m.adopt(ctx, registered, instance, registered.Name)
}

// adopt starts a machine on its instance, with the host name that its user data set.
func (m *machines) adopt(ctx context.Context, want rancher.Machine, instance aws.Instance, host string) error {
	index, err := m.freeIndex()
	if err != nil {
		return err
	}
	made := &machine{Machine: want, Instance: instance.ID, index: index, done: make(chan struct{})}
	made.Facts = m.facts(made, instance, host)
	if err := m.start(ctx, made); err != nil {
		made.close()
		return errors.Join(fmt.Errorf("starting machine %s/%s: %w", want.Namespace, want.Name, err), m.cloud.SetInstanceState(instance.ID, aws.StateTerminated))
	}
	m.byID[want.Namespace+"/"+want.Name] = made
	return nil
}

// Terminate stops the agent with all its processes and terminates the instance.
func (m *machines) Terminate(ctx context.Context, gone rancher.Machine) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	id := gone.Namespace + "/" + gone.Name
	found, ok := m.byID[id]
	if !ok {
		return nil
	}
	delete(m.byID, id)
	found.close()
	if err := m.cloud.SetInstanceState(found.Instance, aws.StateTerminated); err != nil {
		return fmt.Errorf("terminating machine %s: %w", id, err)
	}
	return nil
}

func (m *machines) freeIndex() (int, error) {
	taken := map[int]bool{}
	for _, other := range m.byID {
		taken[other.index] = true
	}
	for i := range maxMachines {
		if !taken[i] {
			return i, nil
		}
	}
	return 0, fmt.Errorf("the lab has its %d machines already", maxMachines)
}

// launch creates the instance of a pool's machine, and returns it with its host name. The pool's
// template decides about both.
func (m *machines) launch(want rancher.Machine) (aws.Instance, string, error) {
	name := driverName(want)
	if want.Template == nil {
		instance, err := m.run(want.Name, want)
		return instance, name, err
	}
	instance, user, err := nodedriver.Launch(m.cloud, nodedriver.ReadTemplate(want.Template),
		nodedriver.Machine{Name: name, Cluster: want.ManagementID, Zone: m.zone(want), Tokens: m.options.IMDS})
	return instance, user.HostName(instance), err
}

// run creates the instance of a machine without a template.
func (m *machines) run(name string, want rancher.Machine) (aws.Instance, error) {
	role := aws.RoleWorker
	if want.ControlPlane {
		role = aws.RoleControlPlane
	}
	return m.cloud.RunInstance(aws.Instance{Name: name, Zone: m.zone(want), Role: role, HTTPTokens: m.options.IMDS})
}

// facts returns the properties of the machine, most of which no API shows: its name in EC2, the
// host name of its operating system, and the output of `hostname -f`.
func (m *machines) facts(made *machine, instance aws.Instance, host string) node.Facts {
	f := node.Facts{
		Name: made.Name, MachineUID: made.UID, InstanceID: instance.ID, IP: m.addr.Machine(made.index),
		PrivateIP: instance.PrivateIP, Zone: instance.Zone, PrivateDNSName: instance.PrivateDNSName,
		Roles: node.Roles{ControlPlane: made.ControlPlane, Etcd: made.Etcd, Worker: made.Worker},
	}
	f.IMDSURL = "http://" + net.JoinHostPort(f.IP, metadataPort)
	if m.options.Real {
		f.IP = f.PrivateIP
	}
	f.OSHostname, f.HostnameFQDN = hostNames(m.options, host, driverName(made.Machine), instance.PrivateDNSName)
	return f
}

// driverName returns the node driver's name of the machine: the name of its infrastructure
// object (rancher/rancher:pkg/controllers/capr/machineprovision/args.go@v2.8.5).
func driverName(m rancher.Machine) string {
	if m.Infrastructure != "" {
		return m.Infrastructure
	}
	return m.Name
}

// hostNames returns the machine's host name and the output of `hostname -f`. User data sets the
// host name of a pool's machine, with the node driver's name as the default. A machine that a person made from a stock image has the first label of its
// private DNS name.
func hostNames(o Options, host, machine, privateDNS string) (osName, fqdn string) {
	osName, fqdn = host, host
	if o.Layout == Custom || o.Distro.ByRKE() {
		osName, _, _ = strings.Cut(privateDNS, ".")
		fqdn = privateDNS
	}
	if o.OSHostname != "" {
		osName = insertNames(o.OSHostname, machine, privateDNS)
	}
	if o.HostnameF != "" {
		fqdn = insertNames(o.HostnameF, machine, privateDNS)
	}
	return osName, fqdn
}

// insertNames inserts a machine's names into an option.
func insertNames(text, machine, privateDNS string) string {
	return strings.NewReplacer("%m", machine, "%d", privateDNS).Replace(text)
}

// zone spreads the machines of each pool over the zones in turn.
func (m *machines) zone(want rancher.Machine) string {
	var zones []string
	for zone := range m.cloud.Network().Subnets {
		zones = append(zones, zone)
	}
	sort.Strings(zones)
	load := map[string]int{}
	for _, other := range m.byID {
		if other.Pool == want.Pool && other.ControlPlane == want.ControlPlane {
			load[other.Facts.Zone]++
		}
	}
	sort.SliceStable(zones, func(i, j int) bool { return load[zones[i]] < load[zones[j]] })
	return zones[0]
}

func (m *machines) start(ctx context.Context, made *machine) error {
	l, err := net.Listen("tcp", net.JoinHostPort(m.addr.Machine(made.index), metadataPort))
	if err != nil {
		return fmt.Errorf("its metadata service: %w", err)
	}
	made.metadata = &http.Server{Handler: m.cloud.Metadata(made.Instance)}
	go func() { _ = made.metadata.Serve(l) }()

	if m.options.ExplicitNodeNames {
		if err := m.labelPlan(ctx, made); err != nil {
			return err
		}
	}
	made.log, err = os.OpenFile(m.files.Log("agent@"+made.Name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	config := m.agent(made.Facts, made.log)
	if m.boot != nil {
		made.real = m.boot(made)
		config.Real = made.real
	}
	made.agent, err = node.New(config)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(m.ctx)
	made.stop = stop
	go func() {
		defer close(made.done)
		if made.real != nil {
			if err := made.real.start(running); err != nil {
				return // logged
			}
			defer made.real.Stop()
		}
		if err := made.agent.Run(running); err != nil && running.Err() == nil {
			fmt.Fprintf(made.log, "the agent ended: %v\n", err)
		}
	}()
	return nil
}

// labelPlan gives the plan Secret the label that makes Rancher write node-name into the
// machine's configuration (rancher-rke2 facts 3.4).
func (m *machines) labelPlan(ctx context.Context, made *machine) error {
	patch := fmt.Sprintf(`{"metadata":{"labels":{"rke.cattle.io/node-name":%q}}}`, made.Facts.PrivateDNSName)
	_, err := m.mgmt.CoreV1().Secrets(made.Namespace).Patch(ctx, made.Name+"-machine-plan", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

func (made *machine) close() {
	if made.stop != nil {
		made.stop()
		<-made.done
	}
	if made.metadata != nil {
		made.metadata.Close()
	}
	if made.log != nil {
		made.log.Close()
	}
}

// closeAll stops all machines at the same time.
func (m *machines) closeAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	var stopping sync.WaitGroup
	for id, made := range m.byID {
		stopping.Go(made.close)
		delete(m.byID, id)
	}
	stopping.Wait()
}

// list returns the machines by name.
func (m *machines) list() []*machine {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []*machine
	for _, made := range m.byID {
		out = append(out, made)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// find returns the machine of that name, or the only one whose name contains it: Rancher's
// names end in random letters.
func (m *machines) find(name string) (*machine, error) {
	var names []string
	var like []*machine
	for _, made := range m.list() {
		if made.Name == name {
			return made, nil
		}
		if name != "" && strings.Contains(made.Name, name) {
			like = append(like, made)
		}
		names = append(names, made.Name)
	}
	if len(like) == 1 {
		return like[0], nil
	}
	return nil, fmt.Errorf("%d machines match %q; there are %s", len(like), name, strings.Join(names, ", "))
}

// apiServers returns the addresses of the API servers behind the balancer.
func (m *machines) apiServers() []string {
	var out []string
	for _, made := range m.list() {
		if made.ControlPlane {
			out = append(out, net.JoinHostPort(made.Facts.IP, "6443"))
		}
	}
	return out
}
