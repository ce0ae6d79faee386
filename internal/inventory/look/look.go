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

// maxConcurrent is the maximum number of concurrent reads of clusters. Most of the time is spent waiting for
// an API; the limit protects Rancher, which proxies all requests.
const maxConcurrent = 8

// Rancher is one Rancher, with the options of reading its clusters.
type Rancher struct {
	// Server is the API server that Rancher runs in.
	Server session.Server
	// RequestTimeout limits one request to Rancher or to a cluster.
	RequestTimeout time.Duration
	// Namespace selects the clusters to list; if empty, all are listed.
	Namespace string
	// NoReach omits requests to the clusters, and so their positions.
	NoReach bool
	Clock   clock.WithTicker // if nil, the real clock
}

// Fleet reads all clusters. It returns an error if Rancher's Clusters cannot be listed, or ctx
// ends. Other errors are in the rows.
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
	group.SetLimit(maxConcurrent)
	for i, one := range all {
		group.Go(func() error {
			fleet.Rows[i] = inventory.Of(m.look(ctx, one))
			return nil
		})
	}
	_ = group.Wait() // no function returns an error
	slices.SortFunc(fleet.Rows, func(a, b inventory.Row) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	return fleet, ctx.Err()
}

// management reads the cluster that Rancher runs in.
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

// clients returns clients for reading RKE2, without those of a cluster itself.
func (m management) clients() rancher.Clients {
	return rancher.Clients{Management: m.dynamic, ManagementKube: m.kube, FromCache: true}
}

// listAll lists without a selector.
var listAll = metav1.ListOptions{}
