// Package metrics turns a controller's reports into Prometheus metrics. It is a controller.Meter
// and decides nothing. It registers metrics only with the registry that is passed.
//
// Metrics about a cluster's current state are computed in Collect. So no series outlives its
// object, and contradicting labels never coexist. Of two processes, only the leader reports
// clusters; each process counts its own work. docs/metrics.md lists all metrics.
package metrics
