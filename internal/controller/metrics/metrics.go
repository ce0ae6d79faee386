package metrics

import (
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/awsmigrate/awsmigrate/internal/build"
	"github.com/awsmigrate/awsmigrate/internal/controller"
)

// Options are what does not change while a process lives.
type Options struct {
	Build build.Stamp
	Runs  int              // how many runs may be under way at once
	Now   func() time.Time // the time at which a job or a wait for an approval begins or ends
}

// Metrics are those of one process: a controller.Meter, and a collector of what it was told.
type Metrics struct {
	o     Options
	leads func() bool
	count counters

	mu       sync.Mutex
	clusters map[controller.Key]facts
	jobs     map[controller.Key]*job
}

// New makes metrics that nobody collects yet.
func New(o Options) *Metrics {
	return &Metrics{
		o: o, leads: func() bool { return false }, count: newCounters(),
		clusters: map[controller.Key]facts{}, jobs: map[controller.Key]*job{},
	}
}

// Register has them collected, once. leads says whether this process decides. An error is
// one of names that the registry has already.
func (m *Metrics) Register(registry prometheus.Registerer, leads func() bool) error {
	m.leads = leads
	for _, one := range append(m.count.all(), m) {
		if err := registry.Register(one); err != nil {
			return err
		}
	}
	return nil
}

// Handler answers with what a registry gathers.
func Handler(registry *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{Registry: registry, MaxRequestsInFlight: 4})
}
