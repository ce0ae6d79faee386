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
	// gracePeriod limits how long a kube-controller-manager runs after the start of its
	// replacement if the kubelet reaches its API server. It is the grace period of a static
	// pod (kubernetes/kubernetes:pkg/apis/core/v1/defaults.go@v1.26.13).
	gracePeriod = 30 * time.Second
	// minRenewals is the minimum number of a kubelet's renewals that prove its pod's state.
	minRenewals = 2
)

// Kubelets holds a run's observations of the kubelets of control planes, by the IDs of their
// kube-controller-managers.
type Kubelets map[string]kubelet

// kubelet holds the observations of a machine's kubelet since its kube-controller-manager
// started. A new mirror pod that is Ready does not prove that the previous process exited.
// Neither does one renewal of the Node's lease: after an outage of its API server, a kubelet
// renews within seconds. It stops unknown processes only after it has listed its pods, up to
// half a minute later, and it shows the new pod only then. Therefore only renewals after this
// run's first sight of the start count; docs/steps/hand-over.md describes a measurement. All
// times are by the clock of that machine.
type kubelet struct {
	started  time.Time // start of the container
	last     time.Time // newest known renewal
	renewals int       // renewals since the first sight
	proven   bool      // the previous process cannot run any longer
}

// addRenewal returns the observations after a reading of the Node's lease.
func (k kubelet) addRenewal(started, renewal time.Time) kubelet {
	if !k.started.Equal(started) {
		return kubelet{started: started, last: renewal}
	}
	if renewal.After(k.last) {
		k.last = renewal
		k.renewals++
	}
	k.proven = k.proven || k.renewals >= minRenewals && k.last.Sub(started) >= gracePeriod
	return k
}

// MayOutlive reports whether an old process may still run after the last restart of a
// kube-controller-manager, as far as the run has seen.
func (ks Kubelets) MayOutlive(r migration.Reading) bool {
	return r.StaticPods && slices.ContainsFunc(r.KCMs, func(k migration.KCM) bool { return !ks.proven(k) })
}

// proven reports whether the process before the last start of a kube-controller-manager
// cannot run any longer.
func (ks Kubelets) proven(k migration.KCM) bool {
	known := ks[k.ID]
	return known.proven && known.started.Format(time.RFC3339) == k.Started
}

// Next reads the leases of the Nodes whose kubelets prove nothing yet. It returns the new
// observations and one line for each old process that may still run.
func (ks Kubelets) Next(ctx context.Context, client kubernetes.Interface, r migration.Reading) (next Kubelets, pending []string, err error) {
	next = maps.Clone(ks)
	if next == nil {
		next = Kubelets{}
	}
	if !r.StaticPods {
		return next, nil, nil
	}
	for _, k := range r.KCMs {
		if ks.proven(k) {
			continue
		}
		started, err := time.Parse(time.RFC3339, k.Started)
		if err != nil {
			pending = append(pending, k.Name()+": its start is unknown")
			continue
		}
		renewal, err := nodeRenewal(ctx, client, k.Node)
		if err != nil {
			return next, nil, err
		}
		now := ks[k.ID].addRenewal(started, renewal)
		if next[k.ID] = now; !now.proven {
			pending = append(pending, fmt.Sprintf("%s: the process before it may still run; wanted Node %s to renew its lease %s from now on, the last time %s after the start at the earliest", k.Name(), k.Node, times(max(1, minRenewals-now.renewals)), gracePeriod))
		}
	}
	return next, pending, nil
}

// times returns a number as an adverb.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// nodeRenewal returns the last renewal of a Node's lease by its kubelet's clock, or zero.
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
