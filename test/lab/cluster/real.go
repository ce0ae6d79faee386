package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/awsmigrate/awsmigrate/test/lab/host"
	"github.com/awsmigrate/awsmigrate/test/lab/node"
	"github.com/awsmigrate/awsmigrate/test/lab/rancher"
	"github.com/awsmigrate/awsmigrate/test/lab/rke"
)

// realRest is cluster.yml after its nodes for real machines. Without registry there is no image
// for a network plugin or an addon; the hosts have a CNI configuration of their own.
const realRest = `
kubernetes_version: {{.Version}}

services:
  etcd:
    snapshot: false
    backup_config: {enabled: false}

network: {plugin: none}
dns: {provider: none}
ingress: {provider: none}
monitoring: {provider: none}

# Load balancers and node addresses come from AWS.
cloud_provider:
  name: aws
  customCloudProvider: |-
    [Global]
    Zone=us-east-1a
    KubernetesClusterID={{.Cluster}}
    [ServiceOverride "ec2"]
    Service=ec2
    Region=us-east-1
    URL={{.AWS}}
    SigningRegion=us-east-1
    [ServiceOverride "elb"]
    Service=elasticloadbalancing
    Region=us-east-1
    URL={{.AWS}}
    SigningRegion=us-east-1
`

// awsPort is AWS's port on the hosts' network.
const awsPort = "8700"

// callerRKE is the caller in the URL that all components of a cluster share. In the record of AWS,
// a call from a host has the name of its machine.
const callerRKE = "rke"

func hostAWS(caller string) string {
	return "http://" + net.JoinHostPort(host.Gateway, awsPort) + "/as/" + caller + "/"
}

// DefaultsReal returns the options of a highly available cluster on real machines. Its versions are
// the only ones.
func DefaultsReal(d Distro) Options {
	o := Defaults()
	if d == RKE {
		o = DefaultsRKE()
		o.RKEVersion, o.Version = host.RKEVersion, host.Version
	}
	o.Distro, o.Real = d, true
	return o
}

// validateReal returns an error if no cluster on real machines can be made with the options.
func (o Options) validateReal() error {
	plain := DefaultsReal(o.Distro)
	plain.Number, plain.Layout, plain.ControlPlanes, plain.Workers = o.Number, o.Layout, o.ControlPlanes, o.Workers
	plain.ClusterPatch, plain.OSHostname = o.ClusterPatch, o.OSHostname
	takes := "--layout, --control-planes, --workers, --cluster-file, --os-hostname, --number"
	switch o.Distro {
	case RKE:
		plain.HostnameOverride = o.HostnameOverride
		takes += " and --hostname-override"
	case RKE2:
		plain.RKEVersion, plain.IMDS, plain.ExplicitNodeNames, plain.HostnameF = o.RKEVersion, o.IMDS, o.ExplicitNodeNames, o.HostnameF
		takes += ", --imds, --explicit-node-names and --hostname-f"
		if o.Layout == Split {
			return errors.New("--machines real: a control plane without etcd of its own is not supported; choose another --layout")
		}
	default:
		return errors.New("--machines real: only --distro rke2 and rke have real machines")
	}
	if fmt.Sprint(plain) != fmt.Sprint(o) {
		return fmt.Errorf("--machines real takes %s, and no other option of the stand-ins", takes)
	}
	if o.Distro == RKE {
		return o.validateRKE()
	}
	_, err := Object(o)
	return err
}

// additions returns what the lab adds to the arguments of components.
func (o Options) additions() []node.Addition {
	if !o.Real {
		return node.Additions()
	}
	const shared = "several hosts share the kernel's cgroups, disks and table of connections"
	common := []node.Addition{
		{Component: "kubelet", Flag: "--cgroup-driver, --cgroups-per-qos, --enforce-node-allocatable, --local-storage-capacity-isolation, --fail-swap-on", Why: shared},
		{Component: "any container", Flag: "without CAP_SYS_RESOURCE and negative oom scores", Why: "a sandbox of CI may not grant them"},
	}
	if o.Distro == RKE2 {
		return append(common,
			node.Addition{Component: node.KubeAPIServer, Flag: "--token-auth-file=<lab users>, in its image", Why: "users admin, operator, viewer, rancher"},
			node.Addition{Component: node.KubeAPIServer, Flag: "an egress selector without tunnel", Why: "RKE2's supervisor is a stand-in"},
			node.Addition{Component: "any container", Flag: "/etc/hosts and an authority for AWS's names", Why: "they lead to the lab's AWS"})
	}
	return append(common, node.Addition{Component: "kube-proxy", Flag: "--conntrack-max-per-core=0", Why: shared})
}

// createReal makes hosts, gives them their images, writes cluster.yml and runs the real rke.
func (l *Lab) createReal(ctx context.Context, parts *errgroup.Group) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	l.hosts = &host.Hosts{Dir: l.files.Dir, Binaries: l.binaries, Program: program, Supervisor: l.supervisor}
	if err := l.hosts.Open(ctx); err != nil {
		return err
	}
	l.machines = &machines{options: l.options, cloud: l.cloud, addr: l.addr, files: l.files, ctx: ctx, byID: map[string]*machine{}}
	if err := l.launchReal(); err != nil {
		return err
	}
	if err := serveHTTP(ctx, parts, net.JoinHostPort(host.Gateway, awsPort), l.byMachine(l.cloud.Handler())); err != nil {
		return err
	}
	parts.Go(func() error { return l.hosts.Watch(ctx, l.log) })
	parts.Go(func() error {
		err := l.bringUp(ctx)
		if err != nil && ctx.Err() == nil {
			l.state.set(PhaseFailed, err.Error(), time.Now())
		}
		return err
	})
	return nil
}

// launchReal runs an instance for each machine of the layout.
func (l *Lab) launchReal() error {
	pools, err := l.options.Pools()
	if err != nil {
		return err
	}
	for _, p := range pools {
		for i := range p.Quantity {
			want := rancher.Machine{
				Name: fmt.Sprintf("%s-%s-%d", ClusterName, p.Name, i), Pool: p.Name, OS: "linux",
				ControlPlane: p.ControlPlane, Etcd: p.Etcd, Worker: p.Worker,
			}
			want.UID = want.Name
			instance, err := l.machines.run(want.Name, want)
			if err != nil {
				return err
			}
			made := &machine{Machine: want, Instance: instance.ID, index: len(l.machines.byID)}
			made.Facts = l.machines.facts(made, instance, want.Name)
			l.machines.byID[want.Name] = made
		}
	}
	return nil
}

// byMachine names the machine as caller of AWS, by the address of the connection. Components of rke
// share a URL; those of RKE2 call AWS by its own names, without a path.
func (l *Lab) byMachine(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		address, _, _ := net.SplitHostPort(r.RemoteAddr) // of a connection, always with a port
		if name := l.machines.at(address); name != "" && (r.URL.Path == "/as/"+callerRKE+"/" || r.URL.Path == "/") {
			r.URL.Path = "/as/" + name + "/"
		}
		next.ServeHTTP(w, r)
	})
}

// at returns the name of the machine with the private address, or empty.
func (m *machines) at(address string) string {
	for _, made := range m.list() {
		if made.Facts.PrivateIP == address {
			return made.Name
		}
	}
	return ""
}

// bringUp boots the hosts, and takes the path of a user from there.
func (l *Lab) bringUp(ctx context.Context) error {
	l.state.set(PhaseBooting, "hosts and their images", time.Now())
	var hosts []host.Machine
	for _, m := range l.machines.list() {
		hosts = append(hosts, host.Machine{Name: m.Name, Hostname: m.Facts.OSHostname, Address: m.Facts.PrivateIP, Index: m.index})
	}
	metadata := func(h host.Machine) http.Handler { return l.cloud.Metadata(l.machines.byID[h.Name].Instance) }
	if err := l.hosts.Boot(ctx, hosts, metadata); err != nil {
		return err
	}
	l.state.set(PhaseBooting, "rke up", time.Now())
	if err := l.realRKEUp(ctx); err != nil {
		return fmt.Errorf("rke up: %w, see %s", err, l.files.Log("rke"))
	}
	return l.bootSteps(ctx,
		bootStep{"machines and Nodes", l.waitNodes},
		bootStep{"the Service default/web", func(ctx context.Context) error { return ensureService(ctx, l.down) }},
		bootStep{"load balancer of Service default/web", l.waitService},
	)
}

// realRKEUp writes cluster.yml, runs rke, and connects with the kubeconfig that it writes.
func (l *Lab) realRKEUp(ctx context.Context) error {
	text, err := clusterYAML(l.options, l.files.sshKey(), l.rkeNodes())
	if err != nil {
		return err
	}
	if err := errors.Join(
		os.MkdirAll(filepath.Dir(l.files.RKE()), 0o755), os.Symlink(l.hosts.RKE(), l.files.RKE()),
		os.WriteFile(l.files.ClusterFile(), text, 0o644)); err != nil {
		return err
	}
	out, err := os.OpenFile(l.files.Log("rke"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	up := exec.CommandContext(ctx, l.files.RKE(), "up", "--config", l.files.ClusterFile())
	up.Stdout, up.Stderr = out, out
	if err := up.Run(); err != nil {
		return err
	}
	kubeconfig, err := os.ReadFile(rke.KubeconfigFile(l.files.ClusterFile()))
	if err != nil {
		return err
	}
	if err := errors.Join(os.WriteFile(l.files.Kubeconfig("downstream"), kubeconfig, 0o600), os.Remove(l.files.Kubeconfig("downstream-viewer"))); err != nil {
		return err
	}
	if l.downstream, err = clientcmd.RESTConfigFromKubeConfig(kubeconfig); err != nil {
		return err
	}
	return l.connect()
}
