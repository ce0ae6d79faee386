package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	lasso "github.com/rancher/lasso/pkg/metrics"
)

// Libraries registers the metrics of the Go runtime, the process, and wrangler's queues and
// handlers. wrangler enables its metrics for the whole process, so call Libraries before the
// first controller begins. It panics if a registry already has these metrics.
func Libraries(registry prometheus.Registerer) {
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	lasso.MustRegisterWithWorkqueue(registry)
}
