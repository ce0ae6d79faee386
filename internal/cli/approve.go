package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
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

func newApprove(a *app.App) *cobra.Command {
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
	if err := confirm(a, f.Yes, plan); err != nil {
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
	if f.RequestTimeout <= 0 {
		return plans.Approvals{}, fault.AsUsage(fmt.Errorf("flag --request-timeout: %s, wanted more than 0", f.RequestTimeout))
	}
	config, err := f.Config()
	if err != nil {
		return plans.Approvals{}, err
	}
	config.Timeout, config.UserAgent, config.WarningHandler = f.RequestTimeout, "awsmigrate", rest.NoWarnings{}
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

// confirm asks for the approval on stderr. Any answer but yes is a no.
func confirm(a *app.App, yes bool, plan plans.Published) error {
	object := "plan of ClusterMigration " + plan.Namespace + "/" + plan.Name
	switch {
	case yes:
		return nil
	case !a.Streams.InTerminal:
		return &fault.Error{Class: fault.Declined, Reason: "NoTerminal", Object: object, Seen: "needs a yes and standard input is no terminal", Fix: "read the plan, then add --yes"}
	}
	s := console.NewScreen(a.Streams, a.Streams.Err)
	s.Line("")
	fmt.Fprint(s.Out, s.Plain("Approve this plan for "+plan.Namespace+"/"+plan.Name+"? Only \"yes\" is accepted:"), " ")
	answer, err := readAnswer(a, bufio.NewReader(a.Streams.In))
	switch {
	case errors.Is(err, errInterrupted):
		return &fault.Error{Class: fault.Interrupted, Reason: "Interrupted", Object: object, Seen: "stopped at the question; nothing was approved"}
	case err == nil && strings.TrimSpace(answer) == "yes":
		return nil
	}
	return &fault.Error{Class: fault.Declined, Reason: "Declined", Object: object, Seen: "not approved", Err: ignoreEOF(err)}
}
