package rollouts

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// fields are the fields of a spec that a rollout sets.
type fields struct {
	Goal         v1alpha1.Goal  `json:"goal,omitempty"`
	Edits        v1alpha1.Edits `json:"edits,omitempty"`
	ApprovedPlan string         `json:"approvedPlan,omitempty"`
}

// setGoal sets the goal of a member.
func (n *Namespace) setGoal(r *v1alpha1.MigrationRollout, change rollout.Change) error {
	_, err := n.patch(change, func(m *v1alpha1.ClusterMigration) fields {
		set := fields{Goal: change.Mark.Goal}
		if m.Spec.Edits == "" {
			set.Edits = r.Spec.Edits
		}
		return set
	})
	return err
}

// setTurn begins the turn of a member.
func (n *Namespace) setTurn(r *v1alpha1.MigrationRollout, change rollout.Change) error {
	written, err := n.patch(change, func(*v1alpha1.ClusterMigration) fields { return fields{ApprovedPlan: change.Plan} })
	if err != nil || !written {
		return err
	}
	n.Log.Info("the turn of a cluster begins", "rollout", r.Name, "cluster", change.Cluster, "deadline", change.Mark.Deadline)
	n.Events.Eventf(r, nil, corev1.EventTypeNormal, "ClusterBegan", "begin", "the turn of cluster %s begins", change.Cluster)
	return nil
}

// patch writes a mark and more to a member, unless its goal or its mark changed since change was
// decided. It reports whether it wrote.
func (n *Namespace) patch(change rollout.Change, set func(*v1alpha1.ClusterMigration) fields) (bool, error) {
	m, err := n.Migrations.Get(n.Name, change.Cluster, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err), err == nil && !change.Applies(m):
		return false, nil // its event leads to a new decision
	case err != nil:
		return false, fmt.Errorf("read ClusterMigration %s/%s: %w", n.Name, change.Cluster, err)
	}
	mark, err := change.Mark.Text()
	if err != nil {
		return false, err
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": m.UID, "resourceVersion": m.ResourceVersion, "annotations": map[string]string{rollout.Annotation: mark}},
		"spec":     set(m),
	})
	if err != nil {
		return false, err
	}
	_, err = n.Migrations.Patch(n.Name, m.Name, types.MergePatchType, patch)
	switch {
	case apierrors.IsNotFound(err), apierrors.IsConflict(err):
		return false, nil // it changed meanwhile: its event leads to a new decision
	case err != nil:
		return false, fmt.Errorf("patch ClusterMigration %s/%s: %w", n.Name, m.Name, err)
	}
	return true, nil
}

// show writes the status if it changed, and records what a person should see.
func (n *Namespace) show(r *v1alpha1.MigrationRollout, shown rollout.Shown) error {
	next := shown.Status()
	next.ObservedGeneration = r.Generation
	next.Display, next.Conditions = shown.Moment.Display(), shown.Moment.RolloutConditions(r.Status.Conditions, n.Clock.Now())
	status.FitRollout(&next)
	n.Meter(types.NamespacedName{Namespace: n.Name, Name: r.Name}, &next)
	if equality.Semantic.DeepEqual(next, r.Status) {
		return nil
	}
	changed := r.DeepCopy()
	changed.Status = next
	_, err := n.Rollouts.UpdateStatus(changed)
	switch {
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return nil // its event leads to a new decision
	case err != nil:
		return fmt.Errorf("write the status of MigrationRollout %s/%s: %w", n.Name, r.Name, err)
	}
	n.record(r, next)
	return nil
}

// recordApproval records that a rollout without an approval begins to wait for it.
func (n *Namespace) recordApproval(r *v1alpha1.MigrationRollout, next v1alpha1.Display) {
	if rollout.InForce(r) || status.StateOf(next.State) != status.AwaitingApproval || r.Status.Display != nil && r.Status.Display.State == next.State {
		return
	}
	n.Events.Eventf(r, nil, corev1.EventTypeNormal, "AwaitingApproval", "approve", "%s", next.Message)
}

// record records that the state of a wave changed, or that a person must approve.
func (n *Namespace) record(r *v1alpha1.MigrationRollout, next v1alpha1.MigrationRolloutStatus) {
	n.recordApproval(r, *next.Display)
	before := map[string]string{}
	for _, wave := range r.Status.Waves {
		before[wave.Name] = wave.State
	}
	for _, wave := range next.Waves {
		if wave.State == before[wave.Name] || wave.State == string(rollout.WaveWaiting) {
			continue
		}
		kind := corev1.EventTypeNormal
		if wave.State == string(rollout.WaveStopped) {
			kind = corev1.EventTypeWarning
		}
		note := next.Display.Message
		if wave.Name != next.Wave {
			note = fmt.Sprintf("wave %s is over: %d clusters done, %d failed, %d withdrawn", wave.Name, wave.Counts.Done, wave.Counts.Failed, wave.Counts.Withdrawn)
		}
		n.Log.Info("a wave changed", "rollout", r.Name, "wave", wave.Name, "state", wave.State, "message", note)
		n.Events.Eventf(r, nil, kind, "Wave"+wave.State, "wave", "%s", note)
	}
}
