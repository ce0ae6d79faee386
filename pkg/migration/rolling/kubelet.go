package rolling

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

const (
	nodeLeases = "kube-node-lease"
	// gracePeriod bounds how long a kube-controller-manager outlives the start of the one
	// that replaces it, on a machine whose kubelet reaches its API server: the grace period
	// of a static pod (kubernetes/kubernetes:pkg/apis/core/v1/defaults.go@v1.26.13).
	gracePeriod = 30 * time.Second
	// minRenewals are seen of a kubelet before the pod that it shows is believed.
	minRenewals = 2
)

// Kubelets holds what a run has seen of the kubelets of control planes since their
// kube-controller-managers started, by the IDs of those.
type Kubelets map[string]kubelet

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
	alone    bool      // the process before cannot run any longer
}

// renewed returns what is known after a reading of the Node's lease.
func (k kubelet) renewed(started, renewal time.Time) kubelet {
	if !k.started.Equal(started) {
		return kubelet{started: started, last: renewal}
	}
	if renewal.After(k.last) {
		k.last = renewal
		k.renewals++
	}
	k.alone = k.alone || k.renewals >= minRenewals && k.last.Sub(started) >= gracePeriod
	return k
}

// MayOutlive reports whether a process from before the last restart of a
// kube-controller-manager may still run, as far as the run has seen.
func (ks Kubelets) MayOutlive(r migration.Reading) bool {
	return r.StaticPods && slices.ContainsFunc(r.KCMs, func(k migration.KCM) bool { return !ks.alone(k) })
}

// alone reports whether nothing from before the last start of a kube-controller-manager can
// run next to it.
func (ks Kubelets) alone(k migration.KCM) bool {
	seen := ks[k.ID]
	return seen.alone && seen.started.Format(time.RFC3339) == k.Started
}

// Next reads the leases of the Nodes whose kubelets are not proven yet. It returns what is
// known then, and one line for each process that may still run from before.
func (ks Kubelets) Next(ctx context.Context, client kubernetes.Interface, r migration.Reading) (next Kubelets, open []string, err error) {
	next = maps.Clone(ks)
	if next == nil {
		next = Kubelets{}
	}
	if !r.StaticPods {
		return next, nil, nil
	}
	for _, k := range r.KCMs {
		if ks.alone(k) {
			continue
		}
		started, err := time.Parse(time.RFC3339, k.Started)
		if err != nil {
			open = append(open, k.Name()+": its start is not seen")
			continue
		}
		renewal, err := nodeRenewal(ctx, client, k.Node)
		if err != nil {
			return next, nil, err
		}
		now := ks[k.ID].renewed(started, renewal)
		if next[k.ID] = now; !now.alone {
			open = append(open, fmt.Sprintf("%s: the process before it may still run; wanted Node %s to renew its lease %s from now on, the last time %s after the start at the earliest", k.Name(), k.Node, times(max(1, minRenewals-now.renewals)), gracePeriod))
		}
	}
	return next, open, nil
}

// times returns a number as an adverb.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// nodeRenewal returns when a Node's lease was renewed last, by its kubelet's clock; zero
// without one.
func nodeRenewal(ctx context.Context, client kubernetes.Interface, node string) (time.Time, error) {
	lease, err := client.CoordinationV1().Leases(nodeLeases).Get(ctx, node, metav1.GetOptions{})
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
