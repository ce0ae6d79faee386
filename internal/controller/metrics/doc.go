// Package metrics makes metrics for Prometheus of what a controller says that it does. It
// is a controller.Meter and decides nothing. Nothing is registered but with the registry
// that is passed.
//
// What is true of a cluster now is collected from facts when it is asked for, so that no
// series outlives its object and none of two contradicting labels stays behind. Of two
// processes the one that leads has it; what a process does itself, it counts itself.
// docs/metrics.md has every metric.
package metrics
