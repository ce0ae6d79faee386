package rancher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
)

// Infrastructure creates and destroys the machines of pools. Both methods are called again
// after an error and must then continue.
type Infrastructure interface {
	// Provision returns once the machine exists and its agent is starting.
	Provision(ctx context.Context, m Machine) error
	// Terminate returns once the machine is gone; a machine that never existed is no error.
	Terminate(ctx context.Context, m Machine) error
}

// Machine is the part of a Machine object that an Infrastructure needs.
type Machine struct {
	Namespace, Name, UID, Cluster string
	ManagementID                  string // Rancher's ID of the cluster
	Infrastructure                string // name of the driver's object for the machine
	Pool                          string // empty for custom machines
	ControlPlane, Etcd, Worker    bool
	NodeName                      string // custom machines registered with a node name only
	OS                            string // "linux" or "windows"
	PoolSpec                      map[string]any
	Template                      map[string]any // the pool's Amazonec2Config, or nil
}

// Config configures a stand-in. A field may be left zero if its comment says so.
type Config struct {
	Mgmt           *rest.Config // management API server, as system:masters
	Downstream     *rest.Config // balanced address, as system:masters
	Infrastructure Infrastructure
	Version        string           // Rancher's own, e.g. "v2.8.5"; the setting server-version overrides it
	Token          string           // of the API servers, for the user of the kubeconfig Secret
	ProxyAddress   string           // host:port of the proxy
	WebhookAddress string           // host:port of the webhook
	Authority      *Authority       // signs for both; a new one if nil
	Poll           time.Duration    // between passes of a controller; 500ms if 0
	CopyDelay      time.Duration    // from a change of a Cluster to its RKEControlPlane; 1s if 0, no delay if negative
	Clock          clock.WithTicker // the real one if nil
	Log            *slog.Logger     // may be nil
}

// Rancher is the stand-in. Use New.
type Rancher struct {
	cfg          Config
	dyn          dynamic.Interface
	mgmt         kubernetes.Interface
	down         kubernetes.Interface
	copyDelay    atomic.Int64
	agent        agentLink
	power        power
	tokens       tokens
	issuedTokens map[string]string // the last token written to a Secret <cluster>-kubeconfig

	mu       sync.Mutex
	seen     map[string]copySeen      // Cluster to its uncopied change
	inFlight map[string]*job          // machine work that runs on its own
	unwell   map[string]time.Time     // Machine UID to the time since which its Node is unhealthy
	clusters map[string]clusterTarget // management cluster name to its location
	errors   map[string]string        // controller to its last error, so that each is logged once
}

type clusterTarget bool // true for the management cluster itself

// New checks the configuration and creates the clients without a request.
func New(cfg Config) (*Rancher, error) {
	switch {
	case cfg.Mgmt == nil || cfg.Downstream == nil:
		return nil, errors.New("lab rancher: Mgmt and Downstream must be set")
	case cfg.Infrastructure == nil:
		return nil, errors.New("lab rancher: Infrastructure must be set")
	case cfg.Version == "":
		return nil, errors.New("lab rancher: Version must be set, e.g. v2.8.5")
	}
	if cfg.Poll == 0 {
		cfg.Poll = 500 * time.Millisecond
	}
	if cfg.CopyDelay == 0 {
		cfg.CopyDelay = time.Second
	}
	if cfg.Clock == nil {
		cfg.Clock = clock.RealClock{}
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Authority == nil {
		a, err := NewAuthority("lab-rancher-ca", cfg.Clock.Now())
		if err != nil {
			return nil, err
		}
		cfg.Authority = a
	}
	r := &Rancher{
		cfg: cfg, seen: map[string]copySeen{}, inFlight: map[string]*job{}, unwell: map[string]time.Time{},
		clusters: map[string]clusterTarget{localManagementName: true}, errors: map[string]string{}, issuedTokens: map[string]string{},
	}
	r.SetCopyDelay(cfg.CopyDelay)
	return r, r.connect()
}

func (r *Rancher) connect() error {
	mgmt, down := unthrottled(r.cfg.Mgmt), unthrottled(r.cfg.Downstream)
	var err error
	if r.dyn, err = dynamic.NewForConfig(mgmt); err != nil {
		return fmt.Errorf("lab rancher: management client: %w", err)
	}
	if r.mgmt, err = kubernetes.NewForConfig(mgmt); err != nil {
		return fmt.Errorf("lab rancher: management client: %w", err)
	}
	if r.down, err = kubernetes.NewForConfig(down); err != nil {
		return fmt.Errorf("lab rancher: downstream client: %w", err)
	}
	return nil
}

// unthrottled removes the client's own rate limit and bounds a single call, so that a dead
// downstream cluster does not stop a controller for long.
func unthrottled(in *rest.Config) *rest.Config {
	c := rest.CopyConfig(in)
	c.QPS, c.Burst = 200, 400
	c.Timeout = 5 * time.Second
	c.UserAgent = "rancher"
	c.WarningHandler = rest.NoWarnings{}
	return c
}

// SetCopyDelay changes the delay between a Cluster and its RKEControlPlane.
func (r *Rancher) SetCopyDelay(d time.Duration) { r.copyDelay.Store(int64(max(d, 0))) }

// Authority returns the authority that signs the proxy's and the webhook's certificates.
func (r *Rancher) Authority() *Authority { return r.cfg.Authority }

// Run serves webhook and proxy and runs the controllers until ctx ends, which is no error.
// Install must have been called. While Rancher is stopped, it neither answers nor acts.
func (r *Rancher) Run(ctx context.Context) error {
	return r.power.run(ctx, r.run)
}

func (r *Rancher) run(ctx context.Context) error {
	defer r.agent.set(ctx, false)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return r.serve(ctx, "proxy", r.cfg.ProxyAddress, r.proxyHandler()) })
	g.Go(func() error { return r.serve(ctx, "webhook", r.cfg.WebhookAddress, r.webhookHandler()) })
	for name, pass := range map[string]func(context.Context) error{
		"clusters": r.reconcileClusters,
		"machines": r.reconcileMachines,
		"planner":  r.reconcileControlPlanes,
		"drain":    r.reconcileDrains,
		"health":   r.reconcileHealth,
		"agent":    r.reconcileAgent,
	} {
		g.Go(func() error { return r.every(ctx, name, pass) })
	}
	return g.Wait()
}

// every repeats one controller's pass. A new error is logged, and the next pass tries again.
func (r *Rancher) every(ctx context.Context, name string, pass func(context.Context) error) error {
	ticker := r.cfg.Clock.NewTicker(r.cfg.Poll)
	defer ticker.Stop()
	for {
		if err := pass(ctx); ctx.Err() == nil {
			r.note(name, err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C():
		}
	}
}

func (r *Rancher) note(controller string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text == r.errors[controller] {
		return
	}
	r.errors[controller] = text
	if text != "" {
		r.cfg.Log.Warn("controller", "name", controller, "error", text)
	}
}
