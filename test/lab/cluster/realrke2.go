package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/awsmigrate/awsmigrate/test/lab/host"
	"github.com/awsmigrate/awsmigrate/test/lab/node"
	"github.com/awsmigrate/awsmigrate/test/lab/pki"
)

// realProbePeriod is the period of rancher-system-agent's probes.
const realProbePeriod = 5 * time.Second

// partsRealRKE2 are the parts of a cluster of RKE2 on real machines. Rancher, its system agent and
// RKE2's supervisor are the stand-ins.
func (l *Lab) partsRealRKE2(stop func()) []func(context.Context, *errgroup.Group) error {
	return []func(context.Context, *errgroup.Group) error{
		l.startAWS, l.startControl(stop), l.startManagement, l.openHosts, l.startBalancer, l.serveAWSByName,
		l.startRancher, l.createCluster, l.startHelmController, l.startSettling,
	}
}

// openHosts prepares this machine for hosts. Rancher's stand-in boots one for each Machine.
func (l *Lab) openHosts(ctx context.Context, parts *errgroup.Group) (err error) {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if l.aws, err = pki.NewCA("lab-aws"); err != nil {
		return err
	}
	tokens, err := os.ReadFile(l.files.tokens())
	if err != nil {
		return err
	}
	l.hosts = &host.Hosts{
		Dir: l.files.Dir, Binaries: l.binaries, Program: program, Supervisor: l.supervisor,
		RKE2: true, Roots: string(l.aws.CertPEM), Tokens: string(tokens),
	}
	if err := l.hosts.Open(ctx); err != nil {
		return err
	}
	parts.Go(func() error { return l.hosts.Watch(ctx, l.log) })
	return nil
}

// serveAWSByName serves AWS at its own names.
func (l *Lab) serveAWSByName(ctx context.Context, parts *errgroup.Group) error {
	pair, err := l.aws.Server("lab-aws", host.NamesOfAWS()...)
	if err != nil {
		return err
	}
	certificate, err := tls.X509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		return err
	}
	listener, err := tls.Listen("tcp", net.JoinHostPort(host.Gateway, "443"), &tls.Config{Certificates: []tls.Certificate{certificate}})
	if err != nil {
		return err
	}
	serveOn(ctx, parts, listener, l.byMachine(l.cloud.Handler()))
	l.machines.boot = func(m *machine) *realMachine { return &realMachine{l: l, m: m} }
	return nil
}

// realMachine is the host of a machine.
type realMachine struct {
	*host.Running // after start

	l *Lab
	m *machine
}

var _ node.Real = (*realMachine)(nil)

// start boots the host.
func (r *realMachine) start(ctx context.Context) (err error) {
	defer func() {
		if err != nil && ctx.Err() == nil {
			r.l.log.Error("a host did not boot", "machine", r.m.Name, "error", err)
		}
	}()
	f := r.m.Facts
	described := host.Machine{Name: f.Name, Hostname: f.OSHostname, Address: f.PrivateIP, Index: r.m.index}
	if r.Running, err = r.l.hosts.BootOne(ctx, described, r.l.cloud.Metadata(r.m.Instance)); err != nil || f.Roles.ControlPlane {
		return err
	}
	go func() {
		if err := r.balance(ctx); err != nil && ctx.Err() == nil {
			r.l.log.Error("the way to the API servers", "machine", f.Name, "error", err)
		}
	}()
	return nil
}

// balance is the load balancer of an agent of RKE2: its kubelet reaches every API server at one
// address of its own.
func (r *realMachine) balance(ctx context.Context) error {
	b := Balancer{
		Address: "127.0.0.1:6443", Backends: r.l.machines.apiServers, Interval: balancerInterval, Listen: r.Listen,
		Check: func(_ context.Context, address string) bool { return slices.Contains(r.l.balancer.Ready(), address) },
	}
	return b.Run(ctx)
}

// serveOn serves until ctx ends.
func serveOn(ctx context.Context, parts *errgroup.Group, listener net.Listener, handler http.Handler) {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	parts.Go(func() error {
		stop := context.AfterFunc(ctx, func() { server.Close() })
		defer stop()
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serving %s: %w", listener.Addr(), err)
		}
		return nil
	})
}
