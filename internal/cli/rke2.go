package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/rke2"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// rke2Flags are shared by every rke2 command.
type rke2Flags struct {
	target    targetFlags
	migration migrationFlags
	endState  string
}

func newRKE2(a *app) *cobra.Command {
	flags := &rke2Flags{}
	engine := &engineFlags{}
	cmd := &cobra.Command{
		Use:   "rke2 --cluster NAME",
		Short: "Migrate a Rancher-provisioned RKE2 cluster, or take up a migration again",
		Long: `Runs the migration of a Rancher-provisioned RKE2 cluster from the in-tree AWS
cloud provider to the external one. What is done is read from the cluster, so
the same command takes up a migration wherever it stands.`,
		Example: `  awsmigrate rke2 plan --cluster prod
  awsmigrate rke2 --cluster prod
  awsmigrate rke2 --cluster prod --until install-ccm --yes -o jsonl`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runMigration(cmd.Context(), a, flags, engine)
		},
	}
	flags.register(cmd)
	engine.register(cmd.Flags())
	addOutputFlag(cmd, a, "text|json|jsonl|yaml")
	cmd.AddCommand(flags.sub(a, newPlan), flags.sub(a, newStatusCommand), flags.sub(a, newUndo))
	return cmd
}

// sub is a command below rke2 with flags of its own.
func (*rke2Flags) sub(a *app, build func(*app, string, opener) *cobra.Command) *cobra.Command {
	flags := &rke2Flags{}
	cmd := build(a, "--cluster NAME", flags)
	flags.register(cmd)
	return cmd
}

func (f *rke2Flags) register(cmd *cobra.Command) {
	f.target.register(cmd.Flags())
	f.migration.register(cmd.Flags(), true)
	cmd.Flags().StringVar(&f.endState, "end-state", "auto", "auto|external|overrides: how nodes get their provider after the switch")
	cmd.Flags().StringVar(&f.migration.installMethod, "install-method", "helm", "helm|additional-manifest")
}

// options turns flags into what pkg/rke2 takes.
func (f *rke2Flags) options(runID string) (rke2.Options, error) {
	shared, err := f.migration.options(runID)
	if err != nil {
		return rke2.Options{}, err
	}
	o := rke2.Options{Options: shared, Namespace: f.target.namespace, Name: f.target.cluster, EndState: rke2.EndState(f.endState)}
	return o, o.Validate()
}

// open connects, proves the target and builds the procedure.
func (f *rke2Flags) open(ctx context.Context, a *app, may access) (*session, error) {
	f.migration.say = a.say
	runID := runner.NewRunID(time.Now())
	options, err := f.options(runID)
	if err != nil {
		return nil, err
	}
	clients, err := f.target.connect(ctx, may)
	if err != nil {
		return nil, err
	}
	procedure, err := rke2.New(ctx, clients, options, clock.RealClock{})
	if err != nil {
		return nil, err
	}
	return newSession(procedure, clients.ManagementKube, runID, f.target.again()), nil
}
