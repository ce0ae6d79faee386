package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/test/lab/docker"
	"github.com/awsmigrate/awsmigrate/test/lab/pki"
	"github.com/awsmigrate/awsmigrate/test/lab/rancher"
	"github.com/awsmigrate/awsmigrate/test/lab/rke"
)

// DefaultRKEVersion and DefaultRKEKubernetes are a cluster that can be migrated:
// an rke that knows external-aws, an rke-tools that names kubelets.
const (
	DefaultRKEVersion    = "v1.5.10"
	DefaultRKEKubernetes = "v1.26.9-rancher1-1"
)

// ClusterFile returns the path of cluster.yml; rke's state and kubeconfig are next to it.
func (f Files) ClusterFile() string { return f.in("cluster.yml") }

// RKE returns the path of the lab's rke.
func (f Files) RKE() string { return f.in("bin", "rke") }

func (f Files) sshKey() string { return f.in("ssh", "id_rsa") }

// rkeRetry shortens rke's pauses where they are not measured: at boot and in a reset.
const rkeRetry = 250 * time.Millisecond

// startEtcdOnly is startManagement without a management cluster.
func (l *Lab) startEtcdOnly(context.Context, *errgroup.Group) error { return l.startEtcd() }

// createRKE creates the machines, writes cluster.yml and runs rke up.
func (l *Lab) createRKE(ctx context.Context, parts *errgroup.Group) error {
	if err := l.provisionRKE(ctx); err != nil {
		return err
	}
	if err := l.writeRKE(); err != nil {
		return err
	}
	parts.Go(func() error {
		l.state.set(PhaseBooting, "rke up", time.Now())
		if err := l.rkeUp(ctx); err != nil && ctx.Err() == nil {
			err = fmt.Errorf("rke up: %w, see %s", err, l.files.Log("rke"))
			l.state.set(PhaseFailed, err.Error(), time.Now())
			return err
		}
		return l.settle(ctx)
	})
	return nil
}

// provisionRKE creates the machines of the layout.
func (l *Lab) provisionRKE(ctx context.Context) error {
	pools, err := l.options.Pools()
	if err != nil {
		return err
	}
	for _, p := range pools {
		for i := range p.Quantity {
			name := fmt.Sprintf("%s-%s-%d", ClusterName, p.Name, i)
			want := rancher.Machine{
				Namespace: ClusterNamespace, Cluster: ClusterName, Name: name, UID: name, Pool: p.Name, OS: "linux",
				ControlPlane: p.ControlPlane, Etcd: p.Etcd, Worker: p.Worker,
			}
			if err := l.machines.Provision(ctx, want); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeRKE writes the files of a user of rke: cluster.yml, the SSH key and the binary.
func (l *Lab) writeRKE() error {
	key, err := docker.Key{Control: l.addr.Control(), Token: l.secrets.ssh, Retry: l.options.RKERetry}.Encode()
	if err != nil {
		return err
	}
	text, err := clusterYAML(l.options, l.files.sshKey(), l.rkeNodes())
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return errors.Join(
		os.MkdirAll(filepath.Dir(l.files.sshKey()), 0o700), os.MkdirAll(filepath.Dir(l.files.RKE()), 0o755),
		os.WriteFile(l.files.sshKey(), key, 0o600), os.WriteFile(l.files.ClusterFile(), text, 0o644),
		os.WriteFile(l.files.RKE(), []byte(rkeScript(self, l.options.RKEVersion)), 0o755))
}

func (l *Lab) rkeNodes() []rkeNode {
	var out []rkeNode
	for _, m := range l.machines.list() {
		n := rkeNode{Name: m.Name, Address: m.Facts.IP, Internal: m.Facts.PrivateIP}
		if l.options.HostnameOverride != "" {
			n.Override = insertNames(l.options.HostnameOverride, m.Name, m.Facts.PrivateDNSName)
		}
		n.Roles = rolesOf(m.Machine)
		out = append(out, n)
	}
	return out
}

// rkeUp runs `rke up` in the supervisor, with direct access to the machines.
func (l *Lab) rkeUp(ctx context.Context) error {
	if err := l.waitReachable(ctx); err != nil {
		return err
	}
	out, err := os.OpenFile(l.files.Log("rke"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	text, err := os.ReadFile(l.files.ClusterFile())
	if err != nil {
		return err
	}
	config, err := rke.Decode(text)
	if err != nil {
		return err
	}
	no := false
	config.IgnoreDockerVersion = &no
	engine := l.engine(l.files.ClusterFile(), out)
	if err := engine.Init(config); err != nil {
		return err
	}
	return engine.Up(ctx)
}

// engine returns an rke in the supervisor, with direct access to the machines.
func (l *Lab) engine(file string, out io.Writer) *rke.Engine {
	return &rke.Engine{
		Release: rke.Release(l.options.RKEVersion), ClusterFile: file, Retry: rkeRetry, Clock: clock.RealClock{},
		Log: &rke.Log{Out: out, Debug: true, Now: time.Now},
		Bundle: func() (map[string]rke.Certificate, error) {
			return rke.NewBundle(l.secrets.downstream, l.secrets.accountKey)
		},
		Dial: func(n rke.Node) (docker.Host, error) {
			host, ok := l.dockerAt(n.Address)
			if !ok {
				return nil, fmt.Errorf("%w: %s", docker.ErrUnreachable, n.Address)
			}
			return host, nil
		},
		HealthAttempts: 200,
	}
}

// waitReachable waits until every machine has booted.
func (l *Lab) waitReachable(ctx context.Context) error {
	return poll(ctx, 20*time.Millisecond, "the machines to boot", func(ctx context.Context) (bool, string, error) {
		for _, m := range l.machines.list() {
			if err := m.agent.Docker().Ping(ctx); err != nil {
				return false, m.Name, err
			}
		}
		return true, "", nil
	})
}

// dockerAt returns the machine with that address.
func (l *Lab) dockerAt(address string) (docker.Host, bool) {
	if l.machines == nil {
		return nil, false
	}
	for _, m := range l.machines.list() {
		if m.Facts.IP == address {
			return m.agent.Docker(), true
		}
	}
	return nil, false
}

// newSSHToken returns a token for a lab's SSH key.
func newSSHToken() string { return pki.Token() }
