package cli

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
	"github.com/spf13/pflag"
	"k8s.io/klog/v2"

	"github.com/awsmigrate/awsmigrate/internal/build"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/controller"
	"github.com/awsmigrate/awsmigrate/internal/controller/choices"
	"github.com/awsmigrate/awsmigrate/internal/controller/metrics"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
)

// scopeFlags are where a controller works, and for which clusters.
type scopeFlags struct {
	target.Management
	namespaces []string
	clusters   []string
	rke        []string
}

func (f *scopeFlags) register(flags *pflag.FlagSet) {
	f.Register(flags)
	flags.StringSliceVar(&f.clusters, "clusters", nil, "names of the clusters that it is for; others are left alone (default: all)")
	flags.StringSliceVar(&f.rke, "rke", nil, "ids (c-xxxxx) of the RKE clusters that it is for; empty: none (default: all)")
	flags.StringSliceVar(&f.namespaces, "namespaces", []string{"fleet-default"}, "namespaces with Rancher's Cluster objects; the Lease of the leader election is in the first")
}

// options are those of a controller there. RKE clusters that were not asked for are all,
// and not none.
func (f *scopeFlags) options(cmd *cobra.Command) (controller.Options, error) {
	config, err := f.Config()
	if err != nil {
		return controller.Options{}, err
	}
	scope := controller.Scope{Clusters: f.clusters, RKE: f.rke}
	if !cmd.Flags().Changed("rke") {
		scope.RKE = nil
	}
	return controller.Options{Config: config, Namespaces: f.namespaces, Scope: scope, RequestTimeout: f.RequestTimeout,
		Version: build.This().String(), Actor: target.Actor(), ExitCode: view.ExitCode}, nil
}

// controllerFlags are those of the controller.
type controllerFlags struct {
	scopeFlags
	mode     string
	runs     int
	interval time.Duration
	listen   string
	elect    bool
	asks     v1alpha1.AWS
	ask      string
	roles    []string
}

func newController(a *app) *cobra.Command {
	f := &controllerFlags{}
	cmd := &cobra.Command{
		Use:   "controller",
		Short: "Carry out ClusterMigrations of this Rancher, and watch whatever rolls",
		Long: `Runs in the cluster that Rancher runs in, or beside it with a kubeconfig. It audits
every cluster that a ClusterMigration names, plans what its goal needs, and carries
out the plan whose hash somebody has put into spec.approvedPlan. In mode audit no
step begins. Log lines are JSON, on standard error.`,
		Example: `  awsmigrate controller --kubeconfig local.yaml
  awsmigrate controller --kubeconfig local.yaml --mode migrate --namespaces fleet-default`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd, a)
		},
	}
	flags := cmd.Flags()
	f.register(flags)
	flags.StringVar(&f.mode, "mode", "audit", "audit|migrate: whether steps may begin")
	flags.IntVar(&f.runs, "max-concurrent", 5, "how many runs may be under way at once; what rolls is watched without a limit")
	flags.DurationVar(&f.interval, "audit-interval", 24*time.Hour, "time between two audits of a cluster")
	flags.StringVar(&f.ask, "aws", "auto", "auto|on|off: ask EC2 and IAM, where an object does not say it")
	flags.StringVar(&f.asks.Region, "region", "", "AWS region, where an object does not say it")
	flags.StringVar(&f.asks.AssumeRole, "assume-role", "", "ARN of an AWS role to assume, where an object names neither a role nor a Secret")
	flags.StringSliceVar(&f.roles, "assumable-roles", nil, "ARNs of AWS roles that an object without a Secret may name, also with * at the end (default: none)")
	flags.StringVar(&f.listen, "listen", "", "address for /healthz, /readyz and /metrics, such as :8080 (default: none)")
	flags.BoolVar(&f.elect, "leader-elect", true, "decide only while holding the Lease of the election")
	cmd.AddCommand(newRolling(a))
	return cmd
}

func (f *controllerFlags) check() error {
	switch {
	case f.mode != "audit" && f.mode != "migrate":
		return fault.AsUsage(fmt.Errorf("flag --mode: %q, wanted audit or migrate", f.mode))
	case f.runs <= 0:
		return fault.AsUsage(fmt.Errorf("flag --max-concurrent: %d, wanted more than 0", f.runs))
	case f.interval < time.Minute:
		return fault.AsUsage(fmt.Errorf("flag --audit-interval: %s, wanted 1m or more", f.interval))
	}
	for _, role := range f.roles {
		if !choices.NamesRoles(role) {
			return fault.AsUsage(fmt.Errorf("flag --assumable-roles: %q, wanted ARNs such as arn:aws:iam::111122223333:role/audit, or arn:aws:iam::111122223333:role/* for all of an account", role))
		}
	}
	modes := map[string]v1alpha1.AWSMode{"auto": v1alpha1.AWSAuto, "on": v1alpha1.AWSEnabled, "off": v1alpha1.AWSDisabled}
	var is bool
	if f.asks.Mode, is = modes[f.ask]; !is {
		return fault.AsUsage(fmt.Errorf("flag --aws: %q, wanted auto, on or off", f.ask))
	}
	return nil
}

// log is the log as JSON lines, those of libraries among them.
func (f *controllerFlags) log(a *app) *slog.Logger {
	handler := slog.NewJSONHandler(a.streams.Err, nil)
	klog.SetSlogLogger(slog.New(handler))
	logrus.SetOutput(a.streams.Err)
	logrus.SetFormatter(&logrus.JSONFormatter{TimestampFormat: time.RFC3339Nano})
	return slog.New(handler)
}

func (f *controllerFlags) run(cmd *cobra.Command, a *app) error {
	if err := f.check(); err != nil {
		return err
	}
	o, err := f.options(cmd)
	if err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	metrics.Libraries(registry)
	meter := metrics.New(metrics.Options{Build: build.This(), Runs: f.runs, Now: time.Now})
	o.AuditsOnly, o.Runs, o.Interval, o.Asks, o.AWS = f.mode == "audit", f.runs, f.interval, f.asks, aws.Identity{Process: os.Getenv}
	o.AssumableRoles = f.roles
	o.Memory, o.Log, o.Election = leaveRoom(), f.log(a), controller.Election{Off: !f.elect}
	o.Meter, o.Metrics = meter, metrics.Handler(registry)
	c, err := controller.New(o)
	if err != nil {
		return err
	}
	if err := meter.Register(registry, c.Leads); err != nil {
		return err
	}
	ctx, stop := a.untilInterrupted(cmd.Context())
	defer stop()
	if f.listen == "" {
		return c.Run(ctx)
	}
	return controller.Serve(ctx, f.listen, c)
}

// leaveRoom has the runtime collect before what $GOMEMLIMIT gives it is used up: a pod's
// limit is the whole of it, and not all of a process is the runtime's. It returns the
// limit, in bytes; 0: there is none.
func leaveRoom() int64 {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return 0
	}
	debug.SetMemoryLimit(limit / 10 * 9)
	return limit
}
