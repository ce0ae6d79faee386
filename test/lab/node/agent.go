package node

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// Agent is one machine of the lab.
type Agent struct {
	c    Config
	dir  string // the machine's folder
	fs   machineFS
	mgmt kubernetes.Interface
	// admin is RKE2's own client of the downstream cluster (system:masters).
	admin       kubernetes.Interface
	adminConfig *rest.Config

	power    chan struct{} // the power was switched
	downtime downtime
	// kubeletRuns is shut while the kubelet is frozen; replacedEnd is shut while replaced
	// containers run on.
	kubeletRuns, replacedEnd gate

	mu        sync.Mutex
	starts    int // number of process starts, for their names
	failPlans string
	on        bool
	session   *session
	watchers  []func()
}

// session is the time from a power-on to the next power-off.
type session struct {
	cancel  context.CancelFunc
	static  *staticPods
	pods    *podManager
	rke2    *rke2Service // nil on a machine of rke's
	planner planState
	docker  *dockerd // nil on a machine of RKE2
}

// New returns an agent. Nothing happens before Run.
func New(c Config) (*Agent, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	a := &Agent{c: c, dir: filepath.Join(c.Dir, "nodes", c.Name), power: make(chan struct{}, 1), on: true}
	a.SetDowntime(c.Timing.APIServerDown, c.Timing.ComponentDown)
	a.fs = machineFS(filepath.Join(a.dir, "fs"))
	for _, dir := range []string{"fs", "log", "pods"} {
		if err := os.MkdirAll(filepath.Join(a.dir, dir), 0o755); err != nil {
			return nil, fmt.Errorf("machine %s: making its folder: %w", c.Name, err)
		}
	}
	var err error
	if c.Mgmt != nil {
		if a.mgmt, err = kubernetes.NewForConfig(c.Mgmt); err != nil {
			return nil, fmt.Errorf("machine %s: client of the management cluster: %w", c.Name, err)
		}
	}
	if a.adminConfig, err = a.clientConfig("system:rke2", "system:masters"); err != nil {
		return nil, err
	}
	if a.admin, err = kubernetes.NewForConfig(a.adminConfig); err != nil {
		return nil, fmt.Errorf("machine %s: client of the downstream cluster: %w", c.Name, err)
	}
	return a, nil
}

// clientConfig returns the configuration of a client with a certificate, for the balanced API
// address.
func (a *Agent) clientConfig(user string, groups ...string) (*rest.Config, error) {
	pair, err := a.c.CA.Client(user, groups...)
	if err != nil {
		return nil, fmt.Errorf("machine %s: certificate of %s: %w", a.c.Name, user, err)
	}
	return &rest.Config{
		Host: "https://" + a.c.BalancedAddress, UserAgent: "kubelet/" + kubernetesVersion + " (linux/amd64) lab",
		TLSClientConfig: rest.TLSClientConfig{CAData: a.c.CA.CertPEM, CertData: pair.Cert, KeyData: pair.Key},
		QPS:             50, Burst: 100, Timeout: 0,
	}, nil
}

// Run keeps the machine alive until ctx ends. It returns when every process of the machine is
// gone, with nil if ctx ended it.
func (a *Agent) Run(ctx context.Context) error {
	for {
		if err := a.waitPower(ctx); err != nil {
			return nil //nolint:nilerr // ctx ended it
		}
		err := a.runSession(ctx)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // likewise
		}
		if err != nil {
			return fmt.Errorf("machine %s: %w", a.c.Name, err)
		}
	}
}

func (a *Agent) waitPower(ctx context.Context) error {
	for {
		a.mu.Lock()
		on := a.on
		a.mu.Unlock()
		if on {
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-a.power:
		}
	}
}

// runSession runs one boot. RKE2 or Docker starts with the contents of the disk, and the system
// agent polls for plans, until the power goes off.
func (a *Agent) runSession(ctx context.Context) error {
	a.logf("booting")
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &session{cancel: cancel}
	s.static = newStaticPods(ctx, a)
	s.pods = newPodManager(ctx, a)
	if a.c.Docker {
		s.docker = newDockerd(ctx, a, s)
		if err := errors.Join(a.writeRKEFiles(), s.docker.boot()); err != nil {
			return err
		}
	} else {
		s.rke2 = newRKE2Service(ctx, a, s)
	}
	a.mu.Lock()
	a.session = s
	a.mu.Unlock()

	var parts sync.WaitGroup
	if s.rke2 != nil {
		a.runRKE2(ctx, s, &parts)
	}
	<-ctx.Done()
	parts.Wait()
	if s.docker != nil {
		s.docker.stopAll()
	}
	s.pods.stopAll()
	s.static.stopAll()
	a.mu.Lock()
	a.session = nil
	a.mu.Unlock()
	a.logf("down")
	return nil
}

func (a *Agent) runRKE2(ctx context.Context, s *session, parts *sync.WaitGroup) {
	parts.Go(func() { s.rke2.run() })
	parts.Go(func() { a.planLoop(ctx, s) })
	if a.c.Roles.ControlPlane {
		parts.Go(func() { a.deployLoop(ctx) })
	}
	if a.fs.configured() {
		s.rke2.restart()
	}
}

// startProcess returns a nil interface with an error, not a nil *proc.Process in an interface.
func (a *Agent) startProcess(spec proc.Spec) (process, error) {
	p, err := a.c.Supervisor.Start(spec)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// processName returns a new name at every start. It is also the process's address at AWS, so
// that the record of calls distinguishes one start from the next.
func (a *Agent) processName(what string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.starts++
	return fmt.Sprintf("%s.%s.%d", what, a.c.Name, a.starts)
}

func (a *Agent) local() local {
	return local{
		Root: string(a.fs), IP: a.c.IP,
		EtcdServers: a.c.EtcdServers, EtcdPrefix: a.c.EtcdPrefix, TokenFile: a.c.TokenFile,
		AuditLog: a.c.AuditLog, AuditPolicy: a.c.AuditPolicyFile,
		IMDSURL: a.c.IMDSURL, Leases: a.c.Timing.Leases,
	}
}

// machinePath returns the real location of a path of the machine; other paths are unchanged.
func (a *Agent) machinePath(p string) string { return machinePath(string(a.fs), p) }

// staticProbes returns the probes of RKE2: readiness each second, liveness 8 × 10 s, startup.
func (a *Agent) staticProbes(component string) probes {
	base, path := a.healthURL(component)
	live := path
	var cert *tls.Certificate
	if component == KubeAPIServer {
		live = "/livez"
		if pair, err := tls.LoadX509KeyPair(a.fs.path(tlsFile("client-kube-apiserver.crt")), a.fs.path(tlsFile("client-kube-apiserver.key"))); err == nil {
			cert = &pair
		}
	}
	ready, alive := httpCheck(base+path, nil, cert), httpCheck(base+live, nil, cert)
	return probes{
		startup:   &probe{check: alive, period: time.Second, timeout: 5 * time.Second, failureLimit: 240},
		readiness: &probe{check: ready, period: time.Second, timeout: 15 * time.Second, failureLimit: 3, successGoal: 1},
		liveness:  &probe{check: alive, delay: 10 * time.Second, period: 10 * time.Second, timeout: 15 * time.Second, failureLimit: 8},
	}
}

func (a *Agent) healthURL(component string) (base, path string) {
	port, scheme, path := staticPort(component)
	return fmt.Sprintf("%s://%s:%d", strings.ToLower(string(scheme)), a.c.IP, port), path
}

// componentHealth requests /healthz as rke does.
func (a *Agent) componentHealth(component string) func(context.Context) error {
	base, _ := a.healthURL(component)
	var cert *tls.Certificate
	file := a.fs.path(rkeTLS + "/kube-apiserver-client")
	if pair, err := tls.LoadX509KeyPair(file+".pem", file+"-key.pem"); err == nil && component == KubeAPIServer {
		cert = &pair
	}
	return httpCheck(base+"/healthz", nil, cert)
}

// changed wakes the goroutines that publish states: pods and mirror pods.
func (a *Agent) changed() {
	a.mu.Lock()
	watchers := a.watchers
	a.mu.Unlock()
	for _, wake := range watchers {
		wake()
	}
}

func (a *Agent) logf(format string, args ...any) {
	fmt.Fprintf(a.c.Log, "%s %s: %s\n", a.c.Clock.Now().UTC().Format(time.RFC3339Nano), a.c.Name, fmt.Sprintf(format, args...))
}

// errPoweredOff is the error of hooks on a machine that is off.
var errPoweredOff = errors.New("the machine is off")
