package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
	"github.com/awsmigrate/awsmigrate/test/lab/component"
	"github.com/awsmigrate/awsmigrate/test/lab/host"
	"github.com/awsmigrate/awsmigrate/test/lab/node"
	"github.com/awsmigrate/awsmigrate/test/lab/observer"
	"github.com/awsmigrate/awsmigrate/test/lab/pki"
	"github.com/awsmigrate/awsmigrate/test/lab/proc"
	"github.com/awsmigrate/awsmigrate/test/lab/rancher"
)

// RancherVersion is the release that the stand-in simulates: the last one that manages
// Kubernetes 1.26.
const RancherVersion = "v2.8.5"

// managementPrefix separates the management cluster's objects in the single etcd.
const managementPrefix = "/mgmt"

// Lab is a lab that this process runs.
type Lab struct {
	options  Options
	files    Files
	addr     Addresses
	binaries string
	log      *slog.Logger

	lock       net.Listener
	secrets    *secrets
	supervisor *proc.Supervisor
	cloud      *aws.Cloud
	rancher    *rancher.Rancher
	machines   *machines
	balancer   *Balancer
	state      state
	baseline   baseline
	hosts      *host.Hosts // real machines
	aws        *pki.CA     // of AWS's certificate on real machines of RKE2

	management, downstream *rest.Config
	mgmt, down             kubernetes.Interface
	mgmtObjects            dynamic.Interface
}

// Serve runs a lab in the folder until ctx ends or a stop is requested. The folder may only
// contain the options.
func Serve(ctx context.Context, dir string, options Options, log *slog.Logger) (err error) {
	l := &Lab{options: options, files: Files{Dir: dir}, log: log}
	defer func() { err = errors.Join(err, l.close()) }()
	if err := l.prepare(); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	parts, ctx := errgroup.WithContext(ctx)
	for _, part := range l.parts(stop) {
		if err := part(ctx, parts); err != nil {
			stop()
			return errors.Join(err, parts.Wait())
		}
	}
	return parts.Wait()
}

// parts returns the parts of the lab, in the order in which they are started.
func (l *Lab) parts(stop func()) []func(context.Context, *errgroup.Group) error {
	if l.options.Real && l.options.Distro == RKE2 {
		return l.partsRealRKE2(stop)
	}
	if l.options.Real {
		return []func(context.Context, *errgroup.Group) error{l.startAWS, l.startControl(stop), l.createReal}
	}
	if l.options.Distro == RKE {
		return []func(context.Context, *errgroup.Group) error{
			l.startAWS, l.startControl(stop), l.startEtcdOnly, l.startBalancer, l.createRKE,
		}
	}
	if l.options.Distro == RKE1 {
		return []func(context.Context, *errgroup.Group) error{
			l.startAWS, l.startControl(stop), l.startManagement, l.startJobs, l.startBalancer, l.startRancher, l.createManaged,
		}
	}
	return []func(context.Context, *errgroup.Group) error{
		l.startAWS, l.startControl(stop), l.startManagement, l.startJobs, l.startBalancer, l.startRancher, l.createCluster, l.startHelmController,
		l.startSettling,
	}
}

func (l *Lab) startSettling(ctx context.Context, parts *errgroup.Group) error {
	parts.Go(func() error { return l.settle(ctx) })
	return nil
}

// prepare claims the number and creates all files.
func (l *Lab) prepare() (err error) {
	if l.binaries, err = component.Dir(); err != nil {
		return err
	}
	if l.addr, l.lock, err = Claim(l.options.Number); err != nil {
		return err
	}
	if l.secrets, err = newSecrets(); err != nil {
		return err
	}
	if err := l.secrets.write(l.files); err != nil {
		return err
	}
	if l.supervisor, err = proc.New(l.files.Dir); err != nil {
		return err
	}
	if err := l.secrets.writeKubeconfigs(l.files, l.addr, l.options.Distro); err != nil {
		return err
	}
	l.management = l.secrets.config(l.secrets.management.CertPEM, "https://"+l.addr.Management(), UserRancher)
	l.downstream = l.secrets.config(l.secrets.downstream.CertPEM, "https://"+l.addr.Balanced(), UserRancher)
	return l.connect()
}

func (l *Lab) connect() (err error) {
	if l.mgmt, err = kubernetes.NewForConfig(l.management); err != nil {
		return err
	}
	if l.mgmtObjects, err = dynamic.NewForConfig(l.management); err != nil {
		return err
	}
	l.down, err = kubernetes.NewForConfig(l.downstream)
	return err
}

func (l *Lab) startAWS(ctx context.Context, parts *errgroup.Group) error {
	record, err := os.OpenFile(l.files.in(observer.AWSFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	l.cloud = aws.New(aws.Options{ClusterID: ClusterName, Record: record, Throttle: aws.BalancerLimits(time.Now)})
	return serveHTTP(ctx, parts, l.addr.AWS(), l.cloud.Handler())
}

// awsEndpoint returns the address of AWS for a caller.
func (l *Lab) awsEndpoint(caller string) string { return "http://" + l.addr.AWS() + "/as/" + caller }

// startManagement starts etcd and the API server for Rancher's objects.
func (l *Lab) startManagement(ctx context.Context, _ *errgroup.Group) error {
	if err := l.startEtcd(); err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(l.addr.Management())
	if err != nil {
		return err
	}
	pair, err := l.secrets.management.Server("kube-apiserver", host)
	if err != nil {
		return err
	}
	cert, key := l.files.in("pki", "management.crt"), l.files.in("pki", "management.key")
	if err := errors.Join(os.WriteFile(cert, pair.Cert, 0o600), os.WriteFile(key, pair.Key, 0o600)); err != nil {
		return err
	}
	server := component.APIServer{
		Binaries: l.binaries, Name: "kube-apiserver@management", Hostname: "management", Log: l.files.Log("kube-apiserver@management"),
		Address: host, Port: 6443, EtcdURL: l.etcdURL(), EtcdPrefix: managementPrefix,
		CertFile: cert, KeyFile: key, ClientCAFile: l.files.ca("management"), TokenFile: l.files.tokens(),
		AccountKey: l.files.accountKey(), AccountPublic: l.files.accountPub(),
		AuditPolicy: l.files.auditPolicy(), AuditLog: l.files.AuditLog("management"),
	}
	if len(l.options.PodImages) == 0 { // without a controller manager, no service accounts are created there
		server.ExtraArguments = []string{"--disable-admission-plugins=ServiceAccount"}
	}
	started, err := l.supervisor.Start(server.Spec())
	if err != nil {
		return err
	}
	return poll(ctx, 50*time.Millisecond, "the management API server", func(ctx context.Context) (bool, string, error) {
		if !started.Running() {
			return false, "", fmt.Errorf("it exited with code %d, see %s", started.ExitCode(), server.Log)
		}
		_, err := l.mgmt.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return err == nil, "ready", err
	})
}

func (l *Lab) startEtcd() error {
	etcd := component.Etcd{
		Binaries: l.binaries, Name: "etcd", DataDir: l.files.in("etcd"), Log: l.files.Log("etcd"),
		Address: l.addr.EtcdHost(), ClientPort: 2379, PeerPort: 2380,
	}
	_, err := l.supervisor.Start(etcd.Spec())
	return err
}

func (l *Lab) etcdURL() string { return "http://" + net.JoinHostPort(l.addr.EtcdHost(), "2379") }

// balancerInterval is short for a load balancer, because a boot waits for it.
const balancerInterval = 500 * time.Millisecond

func (l *Lab) startBalancer(ctx context.Context, parts *errgroup.Group) error {
	l.machines = &machines{
		options: l.options, cloud: l.cloud, mgmt: l.mgmt, addr: l.addr, files: l.files, ctx: ctx,
		agent: l.agentConfig, byID: map[string]*machine{},
	}
	check, err := readyCheck(l.downstream)
	if err != nil {
		return err
	}
	l.balancer = &Balancer{Address: l.addr.Balanced(), Check: check, Backends: l.machines.apiServers, Interval: balancerInterval}
	parts.Go(func() error { return l.balancer.Run(ctx) })
	return nil
}

// readyCheck requests /readyz of one API server. It does not verify the certificate; the health
// check of a balancer does not either.
func readyCheck(config *rest.Config) (func(context.Context, string) bool, error) {
	insecure := rest.CopyConfig(config)
	insecure.CAData, insecure.Insecure = nil, true
	client, err := rest.HTTPClientFor(insecure)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, address string) bool {
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+address+"/readyz", nil)
		if err != nil {
			return false
		}
		answer, err := client.Do(request)
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		_, _ = io.Copy(io.Discard, answer.Body)
		return answer.StatusCode == http.StatusOK
	}, nil
}

func (l *Lab) agentConfig(facts node.Facts, log io.Writer) node.Config {
	mgmt := l.management
	if l.options.Distro.ByRKE() {
		mgmt = nil
	}
	return node.Config{
		Facts: facts, Dir: l.files.Dir, Supervisor: l.supervisor, Binaries: l.binaries,
		Docker: l.options.Distro.ByRKE(), Mgmt: mgmt, PlanNamespace: ClusterNamespace,
		CA: l.secrets.downstream, ServiceAccountKey: l.secrets.accountKey,
		EtcdServers: l.etcdURL(), BalancedAddress: l.addr.Balanced(), TokenFile: l.files.tokens(),
		AuditPolicyFile: l.files.auditPolicy(), AuditLog: l.files.AuditLog(facts.Name),
		AWSEndpoint: l.awsEndpoint,
		Timing:      l.timing(),
		Log:         log,
	}
}

func (l *Lab) timing() node.Timing {
	if l.options.Real { // the kubelet takes its own time
		return node.Timing{ProbePeriod: realProbePeriod}
	}
	return node.Timing{
		APIServerDown: l.options.APIServerDown, ComponentDown: l.options.ComponentDown, ProbePeriod: l.options.ProbePeriod,
		Leases: node.LeaseTiming{Duration: l.options.Leases.Duration, RenewDeadline: l.options.Leases.Renew, RetryPeriod: l.options.Leases.Retry},
	}
}

func (l *Lab) startRancher(ctx context.Context, parts *errgroup.Group) error {
	var err error
	l.rancher, err = rancher.New(rancher.Config{
		Mgmt: l.management, Downstream: l.downstream, Infrastructure: l.machines, Version: l.options.Rancher,
		Token: l.secrets.tokens[UserRancher], ProxyAddress: l.addr.Proxy(), WebhookAddress: l.addr.Webhook(),
		Authority: l.secrets.rancher, Log: l.log,
	})
	if err != nil {
		return err
	}
	if err := l.rancher.Install(ctx); err != nil {
		return fmt.Errorf("installing Rancher's stand-in: %w", err)
	}
	parts.Go(func() error { return l.rancher.Run(ctx) })
	return nil
}

// serveHTTP serves until ctx ends.
func serveHTTP(ctx context.Context, parts *errgroup.Group, address string, handler http.Handler) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	serveOn(ctx, parts, listener, handler)
	return nil
}

// close ends everything that outlives the context: first the machines, then the services that
// they need.
func (l *Lab) close() error {
	var errs []error
	if l.machines != nil {
		l.machines.closeAll()
	}
	if l.supervisor != nil {
		errs = append(errs, l.supervisor.Close())
	}
	if l.lock != nil {
		errs = append(errs, l.lock.Close())
	}
	return errors.Join(errs...)
}
