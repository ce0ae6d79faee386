package rancher

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/controller/plans"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/options"
)

// approveFlags select a ClusterMigration.
type approveFlags struct {
	target.Management
	Yes bool `flag:"yes"`
}

// NewApprove returns the command approve.
func NewApprove(a *app.App) *cobra.Command {
	f := &approveFlags{}
	cmd := &cobra.Command{
		Use:   "approve --cluster NAME",
		Short: "Approve the plan of a ClusterMigration, for the controller to carry out",
		Long: `Shows the whole plan of a ClusterMigration that waits for approval, asks, and writes
the plan's hash into spec.approvedPlan. It checks that the published text matches the
hash, and approves nothing if another plan was published meanwhile.`,
		Example: `  awsmigrate approve --cluster prod
  awsmigrate approve --cluster prod --yes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), a) },
	}
	target.Define(cmd.Flags(), options.Approve, f)
	return cmd
}

func (f *approveFlags) run(ctx context.Context, a *app.App) error {
	if f.Cluster == "" {
		return fault.AsUsage(errors.New("flag --cluster is required"))
	}
	approvals, err := f.open()
	if err != nil {
		return err
	}
	ctx, stop := a.UntilInterrupted(ctx)
	defer stop()
	namespace, name := f.Object()
	plan, err := approvals.Read(ctx, namespace, name)
	if err != nil {
		return err
	}
	view.WritePublishedPlan(a.Streams, []string{
		fmt.Sprintf("%s/%s   goal %s · by awsmigrate %s", plan.Namespace, plan.Name, plan.Goal, plan.Plan.Version),
		"plan   " + plan.Hash, "state  " + plan.Shown}, plan.Plan.Steps)
	if plan.Approved {
		a.Say("this plan is approved already")
		return nil
	}
	object := plan.Namespace + "/" + plan.Name
	if err := a.Confirm(f.Yes, app.Confirmation{Object: "plan of ClusterMigration " + object, Question: "Approve this plan for " + object + "?"}); err != nil {
		return err
	}
	if err := approvals.Approve(ctx, plan); err != nil {
		return err
	}
	a.Say("approved; to see the progress: " + fault.Command("kubectl", "get", "awsm", plan.Name, "-n", plan.Namespace, "-w"))
	return nil
}

// open returns clients of the cluster that Rancher runs in.
func (f *approveFlags) open() (plans.Approvals, error) {
	config, err := f.ReadWrite()
	if err != nil {
		return plans.Approvals{}, err
	}
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return plans.Approvals{}, fmt.Errorf("make a client of the management cluster: %w", err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return plans.Approvals{}, fmt.Errorf("make a client of the management cluster: %w", err)
	}
	return plans.Approvals{Kube: kube, Dynamic: client}, nil
}
