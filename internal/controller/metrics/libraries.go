package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	lasso "github.com/rancher/lasso/pkg/metrics"
)

// Libraries registers what the Go runtime, the process, and wrangler's queues and handlers
// count by themselves. The last two are switched on for the whole process, so that it has
// to come before the first controller begins. A registry that has them already is a
// programming error, and panics.
func Libraries(registry prometheus.Registerer) {
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	lasso.MustRegisterWithWorkqueue(registry)
}
