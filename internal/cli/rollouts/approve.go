package rollouts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/options"
)

type approveFlags struct {
	target.Rollout
	Yes bool `flag:"yes"`
}

func newApprove(a *app.App) *cobra.Command {
	f := &approveFlags{}
	cmd := &cobra.Command{
		Use:   "approve --name NAME",
		Short: "Approve the plans of all clusters of a rollout, for the controller to carry out",
		Long: `Shows the waves with the present plans of their clusters, asks, and writes the list of
clusters and plans into spec.approved. A cluster that has begun keeps its approved plan.
It approves nothing while the controller has not looked at every cluster, if a wave
names a cluster that does not exist and was not approved before, or if the rollout was
changed meanwhile. A cluster whose plan changes later does not begin.`,
		Example: `  awsmigrate rollout approve --name eu
  awsmigrate rollout approve --name eu --yes`,
		Args: cobra.NoArgs,
		RunE: runNamed(a, &f.Rollout, f.ReadWrite, func(ctx context.Context, c *client) error { return f.run(ctx, a, c) }),
	}
	target.Define(cmd.Flags(), options.Rollout|options.RolloutApprove, f)
	return cmd
}

func (f *approveFlags) run(ctx context.Context, a *app.App, c *client) error {
	in, err := c.readInput(ctx)
	if err != nil {
		return err
	}
	proposal, waves, err := rollout.Propose(in)
	if err != nil {
		return fmt.Errorf("sort the clusters of %s: %w", c.object(), err)
	}
	doc := view.NewRolloutPlan(in.Rollout)
	doc.AddMembers(waves)
	doc.AddUnmatched(namesOf(in.Members))
	if err := addMissing(&doc, in); err != nil {
		return err
	}
	view.WriteRolloutPlan(a.Streams, doc, false)
	if err := cmp.Or(c.checkComplete(in.Rollout, proposal, waves), c.checkNames(in.Rollout, doc)); err != nil {
		return err
	}
	if isApproved(in.Rollout, proposal) {
		a.Say("these clusters and plans are approved already")
		return nil
	}
	for _, note := range approvalNotes(in.Rollout, doc) {
		console.Note(a.Streams, note)
	}
	if err := a.Confirm(f.Yes, app.Confirmation{Object: c.object(), Question: fmt.Sprintf("Approve %s of %s/%s?", fault.Count(len(proposal.Members), "cluster"), c.namespace, c.name)}); err != nil {
		return err
	}
	if err := c.approve(ctx, in.Rollout, proposal); err != nil {
		return err
	}
	a.Say(fault.Count(len(proposal.Members), "cluster") + " approved; to see the progress: " + f.Next(a.Typed, "rollout status") + " --watch")
	return nil
}

// checkComplete returns an error if an approval would lack clusters that the controller has not looked
// at, or list none.
func (c *client) checkComplete(r *v1alpha1.MigrationRollout, proposal v1alpha1.RolloutApproval, waves []rollout.ShownWave) error {
	unseen := findUnseen(waves)
	f := &fault.Error{Class: fault.Usage, Reason: "NothingToApprove", Object: c.object(), Wanted: "state Awaiting-Approval", Fix: fault.Command("kubectl", "get", "awsm", "-n", c.namespace)}
	switch {
	case len(unseen) > 0:
		f.Seen = fmt.Sprintf("the controller has not looked at %d of %d clusters yet: %s", len(unseen), len(proposal.Members), view.FirstNames(unseen))
		f.Fix = "wait, then run the same command again. If it stays so, the controller does not handle them (access.clusters, access.rke1 of its chart): leave them out with spec.selector"
	case len(proposal.Members) == 0:
		f.Seen = "no cluster can take part"
	default:
		return nil
	}
	if d := r.Status.Display; d != nil {
		f.Seen += "; it shows " + strings.TrimSpace(d.State+": "+d.Message)
	}
	return f
}

// checkNames returns an error if a wave names a cluster that does not exist. Its wave would be passed
// over, a canary too. A cluster that was approved before has been deleted since.
func (c *client) checkNames(r *v1alpha1.MigrationRollout, doc view.RolloutPlanDocument) error {
	for i, wave := range doc.Waves {
		var unknown []string
		for _, m := range wave.Missing {
			if m.Reason == view.MissingNotFound && !wasApproved(r, m.Name) {
				unknown = append(unknown, m.Name)
			}
		}
		if len(unknown) > 0 {
			return &fault.Error{Class: fault.Usage, Reason: "UnknownCluster", Object: fmt.Sprintf("%s: spec.waves[%d].clusters", c.object(), i),
				Seen: fmt.Sprintf("wave %s names %s without a ClusterMigration: %s", wave.Name, fault.Count(len(unknown), "cluster"), view.FirstNames(unknown)), Wanted: "names of ClusterMigrations; those of RKE clusters are c-xxxxx",
				Fix: fault.Command("kubectl", "get", "awsm", "-n", c.namespace) + ", then correct the wave"}
		}
	}
	return nil
}

// wasApproved reports whether the present approval lists a cluster.
func wasApproved(r *v1alpha1.MigrationRollout, cluster string) bool {
	return r.Spec.Approved != nil && slices.ContainsFunc(r.Spec.Approved.Members, func(m v1alpha1.RolloutMember) bool { return m.Cluster == cluster })
}

// approvalNotes returns the consequences of an approval that the list does not show.
func approvalNotes(r *v1alpha1.MigrationRollout, doc view.RolloutPlanDocument) []string {
	var notes []string
	for _, wave := range doc.Waves {
		n := wave.CountPlanless()
		switch {
		case len(wave.Clusters) == 0:
			notes = append(notes, "wave "+wave.Name+" has no cluster, and is passed over")
		case n == 0:
			continue
		case int64(n) > wave.FailuresAllowed:
			notes = append(notes, fmt.Sprintf("wave %s has %s without a plan, and allows %s: it will stop there. A cluster without a plan fails at its deadline", wave.Name, fault.Count(n, "cluster"), fault.Count(int(wave.FailuresAllowed), "failure")))
		default:
			notes = append(notes, fmt.Sprintf("wave %s has %s without a plan: each fails at its deadline", wave.Name, fault.Count(n, "cluster")))
		}
	}
	if r.Spec.Paused {
		notes = append(notes, "the rollout is paused: no cluster begins before rollout resume")
	}
	return notes
}

// approve writes the approval, unless the spec of the rollout has changed since it was read. Its
// status may change: no decision to write depends on that.
func (c *client) approve(ctx context.Context, r *v1alpha1.MigrationRollout, approval v1alpha1.RolloutApproval) error {
	candidate := r.DeepCopy()
	candidate.Spec.Approved = &approval
	if wrong := candidate.Validate(); len(wrong) > 0 {
		return &fault.Error{Class: fault.Usage, Reason: "InvalidRollout", Object: c.object(), Seen: "cannot list these clusters", Fix: "select fewer clusters with spec.selector", Err: wrong.ToAggregate()}
	}
	patch, err := kube.JSONPatch(kube.Test("/metadata/uid", r.UID), kube.Test("/metadata/generation", r.Generation), kube.Add("/spec/approved", approval))
	if err != nil {
		return err
	}
	err = c.patch(ctx, types.JSONPatchType, patch)
	if !apierrors.IsInvalid(err) {
		return err
	}
	now, readErr := c.readRollout(ctx)
	if readErr == nil && now.UID == r.UID && now.Generation == r.Generation {
		return fmt.Errorf("approve %s: %w", c.object(), err) // the API refuses the value
	}
	return &fault.Error{Class: fault.Stale, Reason: "RolloutChanged", Object: c.object(), Seen: "changed meanwhile; nothing was approved", Fix: "run the same command again and read the new list"}
}
