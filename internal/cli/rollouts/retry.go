package rollouts

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/controller"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

type retryFlags struct{ target.Rollout }

func newRetry(a *app.App) *cobra.Command {
	f := &retryFlags{}
	cmd := &cobra.Command{
		Use:   "retry --name NAME",
		Short: "Let the failed clusters of a rollout try again, with a new deadline",
		Long: `Requests a retry of each cluster that failed, and begins its turn anew: its deadline is
that of its wave from now on. A wave that stopped continues when few enough of its
clusters have failed. A cluster whose goal a person changed is not retried.`,
		Example: `  awsmigrate rollout retry --name eu
  awsmigrate rollout retry --name eu --cluster prod`,
		Args: cobra.NoArgs,
		RunE: runNamed(a, &f.Rollout, f.ReadWrite, func(ctx context.Context, c *client) error { return f.run(ctx, a, c) }),
	}
	target.Define(cmd.Flags(), options.Rollout|options.RolloutRetry, f)
	return cmd
}

func (f *retryFlags) run(ctx context.Context, a *app.App, c *client) error {
	in, err := c.readInput(ctx)
	if err != nil {
		return err
	}
	failed, err := f.selectFailed(c, rollout.Decide(in).Shown)
	if err != nil {
		return err
	}
	if len(failed) == 0 {
		a.Say("no cluster of " + c.object() + " has failed")
		return nil
	}
	s, left := console.NewScreen(a.Streams, a.Streams.Out), 0
	for _, p := range failed {
		name := rollout.ShownName(p.Member.Cluster, p.DisplayName())
		if p.Now.Goal.OrDefault() != p.Now.Mark.Goal {
			left++
			s.Prose("✗  ", name+": not retried: "+p.Why)
			continue
		}
		mark, err := c.retry(ctx, in.Rollout, p)
		if err != nil {
			return err
		}
		s.Prose("✓  ", fmt.Sprintf("%s: retried in wave %s until %s", name, p.Member.Wave, mark.Deadline.Format(time.RFC3339)))
		if p.Now.State == status.AwaitingApproval {
			s.Prose("   ", "its plan changed: "+f.Next(a.Typed, "rollout approve"))
		}
	}
	if in.Rollout.Spec.Paused {
		a.Say("the rollout is paused: no cluster continues before rollout resume")
	}
	if left == 0 {
		return nil
	}
	return &fault.Error{Class: fault.Check, Reason: "NotRetried", Object: c.object(), Seen: fmt.Sprintf("%d of %d failed clusters were not retried", left, len(failed)),
		Wanted: "the goal of the rollout in spec.goal of each", Fix: fault.Command("kubectl", "get", "awsm", "-n", c.namespace)}
}

// selectFailed returns the members that failed, or the one that --cluster names.
func (f *retryFlags) selectFailed(c *client, shown rollout.Shown) ([]rollout.Placed, error) {
	namespace, name := f.Object()
	var found []rollout.Placed
	for _, wave := range shown.Waves {
		for _, p := range wave.Members {
			if p.Member.Cluster == name && name != "" || p.Standing == rollout.Failed && name == "" {
				found = append(found, p)
			}
		}
	}
	switch {
	case name == "":
		return found, nil
	case namespace != c.namespace:
		return nil, fault.AsUsage(fmt.Errorf("flag --cluster: namespace %q, but the rollout is in %q", namespace, c.namespace))
	case len(found) == 0:
		return nil, &fault.Error{Class: fault.Usage, Reason: "NotFailed", Object: "ClusterMigration " + namespace + "/" + name, Seen: "is in no wave of " + c.object(), Wanted: "a cluster that failed"}
	case found[0].Standing != rollout.Failed:
		return nil, &fault.Error{Class: fault.Usage, Reason: "NotFailed", Object: "ClusterMigration " + namespace + "/" + name, Seen: "has not failed: it is " + string(found[0].Standing), Wanted: "a cluster that failed"}
	}
	return found, nil
}

// retry requests a retry of a member and renews its mark, unless its mark changed since it was read.
func (c *client) retry(ctx context.Context, r *v1alpha1.MigrationRollout, p rollout.Placed) (rollout.Mark, error) {
	object := "ClusterMigration " + c.namespace + "/" + p.Member.Cluster
	changed := &fault.Error{Class: fault.Stale, Reason: "RolloutChanged", Object: object, Seen: "changed meanwhile; it was not retried", Fix: "run the same command again"}
	members := c.dynamic.Resource(migrationKind).Namespace(c.namespace)
	found, err := members.Get(ctx, p.Member.Cluster, metav1.GetOptions{})
	if err != nil {
		return rollout.Mark{}, migration.CouldNotRead(object, err)
	}
	m, err := migrationOf(found)
	if err != nil {
		return rollout.Mark{}, err
	}
	if rollout.MarkOf(m) != p.Now.Mark {
		return rollout.Mark{}, changed
	}
	now := c.clock.Now()
	mark := p.Now.Mark.Renew(waveOf(r, p.Member.Wave), now)
	mark.Retried = true
	text, err := mark.Text()
	if err != nil {
		return mark, err
	}
	pointer := func(annotation string) string { return kube.Pointer("metadata", "annotations", annotation) }
	patch, err := kube.JSONPatch(kube.Test("/metadata/uid", m.UID), kube.Test("/spec/goal", m.Spec.Goal), kube.Test(pointer(rollout.Annotation), m.Annotations[rollout.Annotation]),
		kube.Add(pointer(rollout.Annotation), text), kube.Add(pointer(controller.RetryAnnotation), runner.NewRunID(now)))
	if err != nil {
		return mark, err
	}
	_, err = members.Patch(ctx, m.Name, types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: fieldManager})
	switch {
	case err == nil:
		return mark, nil
	case apierrors.IsInvalid(err), apierrors.IsNotFound(err):
		changed.Err = err
		return mark, changed
	}
	return mark, migration.CouldNotPatch(object, err)
}

// waveOf returns a wave of a rollout, or one with the defaults if a member's wave is gone.
func waveOf(r *v1alpha1.MigrationRollout, name string) v1alpha1.Wave {
	if i := slices.IndexFunc(r.Spec.Waves, func(w v1alpha1.Wave) bool { return w.Name == name }); i >= 0 {
		return r.Spec.Waves[i]
	}
	return v1alpha1.Wave{}
}
