package metrics

import (
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/awsmigrate/awsmigrate/internal/controller"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/build"
)

// Options holds the constants of a process.
type Options struct {
	Build build.Stamp
	Runs  int              // limit of concurrent runs
	Now   func() time.Time // clock for the start and end of jobs and waits
}

// Metrics holds the metrics of one process. It is a controller.Meter, and a collector of what it
// received.
type Metrics struct {
	o     Options
	leads func() bool
	count counters

	mu       sync.Mutex
	clusters map[controller.Key]facts
	rollouts map[controller.Key]v1alpha1.MigrationRolloutStatus
	jobs     map[controller.Key]*job
}

// New returns metrics that are not registered yet.
func New(o Options) *Metrics {
	return &Metrics{
		o: o, leads: func() bool { return false }, count: newCounters(),
		clusters: map[controller.Key]facts{}, rollouts: map[controller.Key]v1alpha1.MigrationRolloutStatus{}, jobs: map[controller.Key]*job{},
	}
}

// Register registers the metrics; call it once. leads reports whether this process is the leader.
// Register returns an error if the registry already has one of the names.
func (m *Metrics) Register(registry prometheus.Registerer, leads func() bool) error {
	m.leads = leads
	for _, one := range append(m.count.all(), m) {
		if err := registry.Register(one); err != nil {
			return err
		}
	}
	return nil
}

// Handler returns an HTTP handler that serves a registry.
func Handler(registry *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{Registry: registry, MaxRequestsInFlight: 4})
}
