package rollouts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/options"
)

type planFlags struct {
	target.Rollout
	File string `flag:"file"`
}

// planFormats are the formats of a plan. Wide has a line for each cluster.
func planFormats() []string { return []string{"text", "wide", "json", "yaml"} }

func newPlan(a *app.App) *cobra.Command {
	f := &planFlags{}
	cmd := &cobra.Command{
		Use:   "plan --name NAME | --file rollout.yaml",
		Short: "Show which clusters each wave has, and what stops them; write nothing",
		Long: `Shows the waves of a MigrationRollout with their limits, and their clusters grouped by
state. With --name these are the ClusterMigrations of the namespace, as the controller
sees them. With --file they are the clusters of Rancher that could be migrated, read as
list reads them; it needs neither the controller nor its kinds. It writes nothing.`,
		Example: `  awsmigrate rollout plan --file rollout.yaml
  awsmigrate rollout plan --name eu -o wide
  awsmigrate rollout plan --name eu -o json | jq -r '.waves[].clusters[] | select(.plan == null) | .name'`,
		Args: cobra.NoArgs,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := a.CheckOutput(planFormats()...); err != nil {
			return err
		}
		switch {
		case f.File != "":
			return f.showManifest(cmd, a)
		case f.Name == "":
			return fault.AsUsage(errors.New("flags --name, --file: wanted one of them"))
		}
		return runNamed(a, &f.Rollout, f.ReadOnly, func(ctx context.Context, c *client) error { return f.showNamed(ctx, a, c) })(cmd, args)
	}
	target.Define(cmd.Flags(), options.Rollout|options.RolloutPlan, f)
	cmd.MarkFlagsMutuallyExclusive("name", "file")
	usage.AddOutputFlag(cmd, a, planFormats())
	return cmd
}

func writePlan(a *app.App, doc view.RolloutPlanDocument) error {
	if a.Output == "text" || a.Output == "wide" {
		view.WriteRolloutPlan(a.Streams, doc, a.Output == "wide")
		return nil
	}
	return view.WriteDocument(a.Streams.Out, a.Output, doc)
}

// showNamed shows a rollout of the management cluster.
func (f *planFlags) showNamed(ctx context.Context, a *app.App, c *client) error {
	in, err := c.readInput(ctx)
	if err != nil {
		return err
	}
	proposal, proposed, err := rollout.Propose(in)
	if err != nil {
		return fmt.Errorf("sort the clusters of %s: %w", c.object(), err)
	}
	shown := rollout.Decide(in).Shown
	doc := view.NewRolloutPlan(in.Rollout)
	doc.Approved = rollout.InForce(in.Rollout)
	doc.AddMembers(shown.Waves)
	doc.AddJoined(shown.Others)
	doc.AddUnmatched(namesOf(in.Members))
	if err := addMissing(&doc, in); err != nil {
		return err
	}
	doc.Next = f.Next(a.Typed, "rollout status")
	if len(findUnseen(proposed)) == 0 && len(proposal.Members) > 0 && !isApproved(in.Rollout, proposal) {
		doc.Next = f.Next(a.Typed, "rollout approve")
	}
	return writePlan(a, doc)
}

// addMissing adds the ClusterMigrations that the waves of a rollout name and do not have.
func addMissing(doc *view.RolloutPlanDocument, in rollout.Input) error {
	groups, err := rollout.Sort(in.Rollout, in.Members)
	doc.AddMissing(rollout.FindMissing(groups, in.Members), func(string) string { return "no ClusterMigration has this name" })
	return err
}

func namesOf(members []rollout.Member) []string {
	var names []string
	for _, m := range members {
		names = append(names, m.Name)
	}
	return names
}

// findUnseen returns the members that have not begun, and whose plan the controller has not shown
// yet.
func findUnseen(waves []rollout.ShownWave) []string {
	var names []string
	for _, wave := range waves {
		for _, p := range wave.Members {
			if p.Standing == rollout.Looking && !p.Begun {
				names = append(names, p.Member.Cluster)
			}
		}
	}
	return names
}

// isApproved reports whether the approval in force lists exactly these clusters, waves and plans.
func isApproved(r *v1alpha1.MigrationRollout, proposal v1alpha1.RolloutApproval) bool {
	return rollout.InForce(r) && slices.Equal(sortMembers(r.Spec.Approved.Members), sortMembers(proposal.Members))
}

func sortMembers(members []v1alpha1.RolloutMember) []v1alpha1.RolloutMember {
	return slices.SortedFunc(slices.Values(members), func(a, b v1alpha1.RolloutMember) int { return cmp.Compare(a.Cluster, b.Cluster) })
}

// showManifest shows which of Rancher's clusters a rollout would have.
func (f *planFlags) showManifest(cmd *cobra.Command, a *app.App) error {
	r, err := readManifest(f.File)
	if err != nil {
		return err
	}
	apply := []string{"kubectl", "apply", "-f", f.File}
	switch {
	case r.Namespace == "":
		r.Namespace = f.Namespace
		apply = append(apply, "-n", f.Namespace)
	case cmd.Flags().Changed("namespace") && r.Namespace != f.Namespace:
		return fault.AsUsage(fmt.Errorf("flag --namespace: %q, but metadata.namespace of %s is %q", f.Namespace, f.File, r.Namespace))
	}
	ctx, stop := a.UntilInterrupted(cmd.Context())
	defer stop()
	fleet, err := f.Rancher(r.Namespace).Fleet(ctx)
	if err != nil {
		return err
	}
	usage.FitRows(cmd, fleet.Rows)
	rows, members := membersOf(fleet, r.Namespace)
	groups, err := rollout.Sort(r, members)
	if err != nil {
		return fmt.Errorf("sort the clusters of %s: %w", f.File, err)
	}
	doc := view.NewRolloutPlan(r)
	doc.AddRows(groups, rows)
	doc.AddMissing(rollout.FindMissing(groups, members), func(name string) string { return describeUnknown(name, rows) })
	doc.AddUnmatched(namesOf(members))
	doc.Unread = fleet.Unread
	doc.Next = fault.Command(apply...)
	if err := writePlan(a, doc); err != nil {
		return err
	}
	return view.Shown(checkRead(fleet, rows))
}

// membersOf returns the clusters of a namespace that could be migrated, as rows by name and as
// members of a rollout.
func membersOf(fleet inventory.Fleet, namespace string) (map[string]inventory.Row, []rollout.Member) {
	rows := map[string]inventory.Row{}
	var members []rollout.Member
	for _, row := range fleet.Rows {
		if row.Namespace == namespace && row.Migratable() {
			rows[row.Name] = row
			members = append(members, rollout.Member{Name: row.Name, Labels: row.Labels})
		}
	}
	return rows, members
}

// describeUnknown describes the absence of a name among Rancher's clusters. Rancher shows RKE clusters
// under another name than that of their objects.
func describeUnknown(name string, rows map[string]inventory.Row) string {
	for _, row := range rows {
		if row.DisplayName == name && row.Name != name {
			return "its name in a rollout is " + row.Name
		}
	}
	return "no cluster of this name can be migrated"
}

// checkRead returns an error if a cluster could not be read, or Rancher's own objects.
func checkRead(fleet inventory.Fleet, rows map[string]inventory.Row) error {
	n := 0
	for _, row := range rows {
		if row.Unlooked() {
			n++
		}
	}
	if n == 0 && len(fleet.Unread) == 0 {
		return nil
	}
	return &fault.Error{Class: fault.CouldNotLook, Reason: "NotAllSeen", Object: "the plan", Seen: fmt.Sprintf("%d of %d clusters could not be checked", n, len(rows))}
}
