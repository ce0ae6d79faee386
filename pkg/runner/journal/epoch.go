package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const keyEpoch = "epoch"

// Counted is a Journal that also stores its epoch in the migrated cluster, in ConfigMap
// kube-system/awsmigrate. The journal itself is in Rancher's cluster and is restored with
// Rancher's backup. If it counts less than the cluster, it was restored or deleted.
type Counted struct {
	Journal
	Cluster kubernetes.Interface // the cluster being migrated
	Clock   clock.Clock
}

func (j Counted) object() string {
	return fmt.Sprintf("ConfigMap %s/%s", wellknown.System, wellknown.FieldManager)
}

// Load implements Journal.
func (j Counted) Load(ctx context.Context) (State, error) {
	st, err := j.Journal.Load(ctx)
	if err != nil {
		return st, err
	}
	st.Counted, err = j.count(ctx)
	return st, err
}

func (j Counted) count(ctx context.Context) (int, error) {
	ctx, cancel := retry.Request(ctx)
	defer cancel()
	cm, err := j.Cluster.CoreV1().ConfigMaps(wellknown.System).Get(ctx, wellknown.FieldManager, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return 0, nil
	case err != nil:
		return 0, readFault(j.object(), err)
	}
	n, err := strconv.Atoi(cm.Data[keyEpoch])
	if err != nil || n < 0 {
		return 0, &fault.Error{Class: fault.Stale, Reason: "EpochBroken", Object: j.object(), Seen: fmt.Sprintf("holds %s %q", keyEpoch, cm.Data[keyEpoch]),
			Wanted: "the number of finished migrations and undos of this cluster", Fix: "delete the ConfigMap; the next run asks for a new plan", Err: err}
	}
	return n, nil
}

// Commit implements Journal. It writes the journal first. If the run dies before the second
// write, the journal counts more, and the next commit updates the cluster.
func (j Counted) Commit(ctx context.Context, st *State) error {
	if err := j.Journal.Commit(ctx, st); err != nil || st.Epoch <= st.Counted {
		return err
	}
	if err := j.writeCount(ctx, st.Epoch, st.Counted == 0); err != nil {
		return fmt.Errorf("count the goals that were reached, %s: %w", j.object(), err)
	}
	st.Counted = st.Epoch
	return nil
}

// writeCount writes the count, which only grows while the lock is held. first reports whether the
// cluster has no count yet.
func (j Counted) writeCount(ctx context.Context, epoch int, first bool) error {
	value := strconv.Itoa(epoch)
	patch, err := json.Marshal(map[string]any{"data": map[string]string{keyEpoch: value}})
	if err != nil {
		return err
	}
	return retry.Do(ctx, j.Clock, retry.Outage, "the count of goals to be written, "+j.object(), func(ctx context.Context) error {
		ctx, cancel := retry.Request(ctx)
		defer cancel()
		cms := j.Cluster.CoreV1().ConfigMaps(wellknown.System)
		if first {
			_, err := cms.Create(ctx, &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Name: wellknown.FieldManager, Namespace: wellknown.System, Labels: map[string]string{wellknown.ManagedBy: wellknown.FieldManager}},
				Data:       map[string]string{keyEpoch: value},
			}, metav1.CreateOptions{FieldManager: wellknown.FieldManager})
			if !apierrors.IsAlreadyExists(err) {
				return err
			}
		}
		_, err := cms.Patch(ctx, wellknown.FieldManager, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: wellknown.FieldManager})
		return err
	})
}
