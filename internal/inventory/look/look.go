package look

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
)

// atOnce is how many clusters are asked together. Most of a look is waiting for an API;
// what bounds it is Rancher, through which all of them are asked.
const atOnce = 8

// Rancher is one Rancher, and how its clusters are looked at.
type Rancher struct {
	// Server is the API server that Rancher runs in.
	Server session.Server
	// RequestTimeout bounds one request, to it or to a cluster.
	RequestTimeout time.Duration
	// Namespace is the one whose clusters are listed; "": all.
	Namespace string
	// NoReach leaves out the clusters themselves, and with them their positions.
	NoReach bool
	Clock   clock.WithTicker // nil: the real one
}

// Fleet reads all of it. It fails where Rancher's Clusters cannot be listed, or ctx ends;
// what else could not be looked at is in the rows.
func (r Rancher) Fleet(ctx context.Context) (inventory.Fleet, error) {
	if r.Clock == nil {
		r.Clock = clock.RealClock{}
	}
	m, err := r.connect()
	if err != nil {
		return inventory.Fleet{}, err
	}
	all, fleet, err := m.list(ctx, r.Namespace)
	if err != nil {
		return inventory.Fleet{}, err
	}
	fleet.Rows = make([]inventory.Row, len(all))
	group := errgroup.Group{}
	group.SetLimit(atOnce)
	for i, one := range all {
		group.Go(func() error {
			fleet.Rows[i] = inventory.Of(m.look(ctx, one))
			return nil
		})
	}
	_ = group.Wait() // none fails
	slices.SortFunc(fleet.Rows, func(a, b inventory.Row) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	return fleet, ctx.Err()
}

// management is the API server that Rancher runs in, for whoever only looks.
type management struct {
	Rancher
	dynamic dynamic.Interface
	kube    kubernetes.Interface
}

func (r Rancher) connect() (management, error) {
	m := management{Rancher: r}
	config, err := session.LookOnly(r.Server, r.RequestTimeout)
	if err != nil {
		return m, err
	}
	if m.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return m, fault.AsUsage(err)
	}
	m.kube, err = kubernetes.NewForConfig(config)
	return m, fault.AsUsage(err)
}

// clients are those of the part that reads RKE2, without a cluster's own.
func (m management) clients() rancher.Clients {
	return rancher.Clients{Management: m.dynamic, ManagementKube: m.kube}
}

// all is a list without a selector.
var all = metav1.ListOptions{}
