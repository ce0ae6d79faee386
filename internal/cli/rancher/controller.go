package rancher

import (
	"fmt"
	"log/slog"
	"math"
	"os"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/sirupsen/logrus"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/controller"
	"github.com/awsmigrate/awsmigrate/internal/controller/choices"
	"github.com/awsmigrate/awsmigrate/internal/controller/metrics"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/build"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws/elb"
)

// scopeFlags select the location of a controller, and its clusters.
type scopeFlags struct {
	target.Management
	Namespaces []string `flag:"namespaces"`
	Clusters   []string `flag:"clusters"`
	RKE        []string `flag:"rke"`
}

// options returns the controller's options. Without a selection it covers all RKE clusters.
func (f *scopeFlags) options(cmd *cobra.Command) (controller.Options, error) {
	config, err := f.Config()
	if err != nil {
		return controller.Options{}, err
	}
	scope := controller.Scope{Clusters: f.Clusters, RKE: f.RKE}
	if !cmd.Flags().Changed("rke") {
		scope.RKE = nil
	}
	return controller.Options{Config: config, Namespaces: f.Namespaces, Scope: scope, RequestTimeout: f.RequestTimeout,
		Version: build.This().String(), Actor: target.Actor(), ExitCode: view.ExitCode}, nil
}

// controllerFlags holds the flags of the controller.
type controllerFlags struct {
	scopeFlags
	Mode           string        `flag:"mode"`
	Runs           int           `flag:"max-concurrent"`
	Interval       time.Duration `flag:"audit-interval"`
	AWS            string        `flag:"aws"`
	Region         string        `flag:"region"`
	AssumeRole     string        `flag:"assume-role"`
	AssumableRoles []string      `flag:"assumable-roles"`
	Listen         string        `flag:"listen"`
	LeaderElect    bool          `flag:"leader-elect"`
}

// NewController returns the command controller.
func NewController(a *app.App) *cobra.Command {
	f := &controllerFlags{}
	cmd := &cobra.Command{
		Use:   "controller",
		Short: "Carry out ClusterMigrations of this Rancher, and watch every rollout",
		Long: `Runs in the cluster that Rancher runs in, or outside it with a kubeconfig. It audits
every cluster that a ClusterMigration names, plans the steps to its goal, and carries
out the plan whose hash is in spec.approvedPlan. In mode audit no
step begins. Log lines are JSON, on standard error.`,
		Example: `  awsmigrate controller --kubeconfig local.yaml
  awsmigrate controller --kubeconfig local.yaml --mode migrate --namespaces fleet-default`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd, a)
		},
	}
	target.Define(cmd.Flags(), options.Controller, f)
	cmd.AddCommand(newRolling(a))
	return cmd
}

func (f *controllerFlags) check() error {
	for _, role := range f.AssumableRoles {
		if !choices.NamesRoles(role) {
			return fault.AsUsage(fmt.Errorf("flag --assumable-roles: %q, wanted ARNs such as arn:aws:iam::111122223333:role/audit, or arn:aws:iam::111122223333:role/* for all of an account", role))
		}
	}
	return nil
}

// asks returns how the controller uses AWS if an object has no setting.
func (f *controllerFlags) asks() v1alpha1.AWS {
	return v1alpha1.AWS{Mode: v1alpha1.AWSMode(options.ObjectWord(f.AWS)), Region: f.Region, AssumeRole: f.AssumeRole}
}

// log returns a logger of JSON lines, including those of libraries.
func (f *controllerFlags) log(a *app.App) *slog.Logger {
	handler := slog.NewJSONHandler(a.Streams.Err, nil)
	klog.SetSlogLogger(slog.New(handler))
	logrus.SetOutput(a.Streams.Err)
	logrus.SetFormatter(&logrus.JSONFormatter{TimestampFormat: time.RFC3339Nano})
	return slog.New(handler)
}

func (f *controllerFlags) run(cmd *cobra.Command, a *app.App) error {
	if err := f.check(); err != nil {
		return err
	}
	o, err := f.options(cmd)
	if err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	metrics.Libraries(registry)
	meter := metrics.New(metrics.Options{Build: build.This(), Runs: f.Runs, Now: time.Now})
	o.AuditsOnly, o.Runs, o.Interval, o.Asks, o.AWS = f.Mode == "audit", f.Runs, f.Interval, f.asks(), aws.Identity{Process: os.Getenv, Pace: &elb.Pace{}}
	o.AssumableRoles = f.AssumableRoles
	o.Memory, o.Log, o.Election = leaveRoom(), f.log(a), controller.Election{Off: !f.LeaderElect}
	o.Meter, o.Metrics = meter, metrics.Handler(registry)
	c, err := controller.New(o)
	if err != nil {
		return err
	}
	if err := meter.Register(registry, c.Leads); err != nil {
		return err
	}
	ctx, stop := a.UntilInterrupted(cmd.Context())
	defer stop()
	if f.Listen == "" {
		return c.Run(ctx)
	}
	return controller.Serve(ctx, f.Listen, c)
}

// leaveRoom makes the garbage collector run before $GOMEMLIMIT is used up: a pod's limit covers
// the whole process, not only the Go runtime. It returns the limit in bytes, or 0 without a
// limit.
func leaveRoom() int64 {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return 0
	}
	debug.SetMemoryLimit(limit / 10 * 9)
	return limit
}
