package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/runlog"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// logsFlags say whose log lines are wanted, and where they are.
type logsFlags struct {
	target.Management
	filter     runlog.Filter
	controller string // its namespace
	follow     bool
	from       string
}

func newLogs(a *app) *cobra.Command {
	f := &logsFlags{}
	cmd := &cobra.Command{
		Use:   "logs --cluster NAME",
		Short: "Show what the controller says of one cluster",
		Long: `Reads the log of the controller's pods, or what is piped in, and shows the lines of
one cluster: when, in which step, what happened, what is waited for and what is seen.
Needs the rights to list pods and to read their logs in the controller's namespace.`,
		Example: `  awsmigrate logs --cluster prod -f
  awsmigrate logs --cluster prod --run 20240501T120000Z-1a2b3c4d
  kubectl logs -n cattle-awsmigrate-system deploy/awsmigrate | awsmigrate logs --cluster prod --from -`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), a) },
	}
	flags := cmd.Flags()
	f.Register(flags)
	flags.StringVar(&f.filter.Cluster, "cluster", "", "name of Rancher's Cluster object; rke: its id, c-xxxxx (required)")
	flags.StringVarP(&f.filter.Namespace, "namespace", "n", "fleet-default", "namespace of the ClusterMigration")
	flags.StringVar(&f.filter.Run, "run", "", "ID of the run whose lines are wanted alone")
	flags.BoolVarP(&f.follow, "follow", "f", false, "go on with new lines, also of a pod that takes another's place")
	flags.StringVar(&f.controller, "controller-namespace", "cattle-awsmigrate-system", "namespace of the controller's pods")
	flags.StringVar(&f.from, "from", "", "file with the controller's log, - for standard input (default: the logs of its pods)")
	return cmd
}

func (f *logsFlags) check() error {
	switch {
	case f.filter.Cluster == "":
		return fault.AsUsage(errors.New("flag --cluster is required: the name of Rancher's Cluster object"))
	case f.from != "" && f.follow:
		return fault.AsUsage(errors.New("flag --follow: what --from names is read to its end"))
	}
	return nil
}

func (f *logsFlags) run(ctx context.Context, a *app) error {
	if err := f.check(); err != nil {
		return err
	}
	return a.leftAtInterrupt(ctx, func(ctx context.Context) error {
		shown := false
		err := f.read(ctx, a, func(l runlog.Line) error {
			shown = true
			_, err := io.WriteString(a.streams.Out, l.Text())
			return err
		})
		if err == nil && !shown {
			a.say(fmt.Sprintf("no line is about %s", f.wanted()))
		}
		return err
	})
}

func (f *logsFlags) wanted() string {
	cluster := fmt.Sprintf("cluster %s of namespace %s", f.filter.Cluster, f.filter.Namespace)
	if f.filter.Run != "" {
		return "run " + f.filter.Run + " on " + cluster
	}
	return cluster
}

func (f *logsFlags) read(ctx context.Context, a *app, show func(runlog.Line) error) error {
	switch f.from {
	case "":
		return f.readPods(ctx, show)
	case "-":
		return runlog.Read(a.streams.In, f.filter, show)
	}
	file, err := os.Open(f.from)
	if err != nil {
		return fault.AsUsage(fmt.Errorf("flag --from: %w", err))
	}
	defer file.Close() //nolint:errcheck // it is only read
	return runlog.Read(file, f.filter, show)
}

func (f *logsFlags) readPods(ctx context.Context, show func(runlog.Line) error) error {
	config, err := f.Config()
	if err != nil {
		return err
	}
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client of the management cluster: %w", err)
	}
	pods := runlog.Pods{Kube: kube, Namespace: f.controller, Timeout: f.RequestTimeout}
	if f.follow {
		return pods.Follow(ctx, clock.RealClock{}, f.filter, show)
	}
	return pods.Read(ctx, f.filter, show)
}

// leftAtInterrupt does work that may be left at any moment: Ctrl-C is how following ends.
func (a *app) leftAtInterrupt(ctx context.Context, work func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	over := make(chan error, 1)
	go func() { over <- work(ctx) }()
	select {
	case err := <-over:
		return err
	case <-a.interrupts: // what is typed at a terminal may never end
		return nil
	}
}
