package rke2

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

const (
	nodeLeases = "kube-node-lease"
	// oldEnds is how long a kube-controller-manager may outlive the start of the one
	// that replaces it, on a machine whose kubelet reaches its API server: the grace
	// period of a static pod (kubernetes/kubernetes:pkg/apis/core/v1/defaults.go@v1.26.13).
	oldEnds = 30 * time.Second
)

// kubelet is what was seen of a machine's kubelet since its kube-controller-manager
// started. A mirror pod that is new and Ready does not say that the process before it has
// ended, nor does a renewal of the Node's lease alone: a kubelet whose API server was away
// renews within seconds, and ends what it does not know only when it has listed its pods
// again, up to half a minute later. It shows the new pod only then, too; so those renewals
// count that came after this run's first sight of the start (docs/steps/hand-over.md has
// what a real one did). All times are by the clock of that machine.
type kubelet struct {
	started  time.Time // of the container
	last     time.Time // the newest renewal that was seen
	renewals int       // newer than that of the first sight
	alone    bool      // the process before cannot run any more
}

// enoughRenewals are seen of a kubelet before it is taken at its word.
const enoughRenewals = 2

// renewed takes one reading of the Node's lease in.
func (k kubelet) renewed(started, renewal time.Time) kubelet {
	if !k.started.Equal(started) {
		return kubelet{started: started, last: renewal}
	}
	if renewal.After(k.last) {
		k.last = renewal
		k.renewals++
	}
	k.alone = k.alone || k.renewals >= enoughRenewals && k.last.Sub(started) >= oldEnds
	return k
}

// waitForKubelets waits until no kube-controller-manager from before the rollout can
// run. Node leases are read when nothing else is awaited.
func (b *Backend) waitForKubelets(ctx context.Context, seen migration.Snapshot, r *migration.RolloutJudgement) error {
	open, err := b.Outlived(ctx, seen)
	for _, one := range open {
		r.Wait("%s", one)
	}
	return err
}

// Outlived implements migration.Backend. Of each machine Node leases are read no more once
// its kubelet was seen.
func (b *Backend) Outlived(ctx context.Context, seen migration.Snapshot) ([]string, error) {
	var open []string
	for _, k := range seen.Reading.KCMs {
		if alone(b.kubelets, k) {
			continue
		}
		started, err := time.Parse(time.RFC3339, k.Started)
		if err != nil {
			open = append(open, k.Name()+": its start is not seen")
			continue
		}
		renewal, err := b.nodeRenewal(ctx, k.Node)
		if err != nil {
			return nil, err
		}
		now := b.kubelets[k.ID].renewed(started, renewal)
		if b.kubelets[k.ID] = now; !now.alone {
			open = append(open, fmt.Sprintf("%s: the process before it may still run; wanted Node %s to renew its lease %s from now on, the last time %s after the start at the earliest", k.Name(), k.Node, times(max(1, enoughRenewals-now.renewals)), oldEnds))
		}
	}
	return open, nil
}

// times is how often, for people.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// alone says whether this run has seen that nothing from before the last start of a
// kube-controller-manager can run beside it.
func alone(kubelets map[string]kubelet, k migration.KCM) bool {
	seen := kubelets[k.ID]
	return seen.alone && seen.started.Format(time.RFC3339) == k.Started
}

// nodeRenewal is when a Node's lease was renewed last, by its kubelet's clock; zero
// without one.
func (b *Backend) nodeRenewal(ctx context.Context, node string) (time.Time, error) {
	lease, err := b.clients.Downstream.CoordinationV1().Leases(nodeLeases).Get(ctx, node, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return time.Time{}, nil
	case err != nil:
		return time.Time{}, migration.CouldNotRead("Lease "+nodeLeases+"/"+node, err)
	case lease.Spec.RenewTime == nil:
		return time.Time{}, nil
	}
	return lease.Spec.RenewTime.Time, nil
}
