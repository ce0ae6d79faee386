package metrics

import "github.com/prometheus/client_golang/prometheus"

// Descriptions of the metrics that Collect computes.
var (
	buildInfo    = desc("build_info", "The build of awsmigrate, always 1.", "version", "commit")
	leader       = desc("leader", "1: this process decides.")
	runsLimit    = desc("runs_limit", "How many runs may be under way at once.")
	runsInFlight = desc("runs_in_flight", "Jobs of this process that are under way.", "kind")

	clusterInfo     = desc("cluster_info", "The state of a cluster's ClusterMigration, always 1.", "namespace", "cluster", "distribution", "state")
	clusterPosition = desc("cluster_position", "How far a cluster is, 0 to 5 as in P0 to P5; -1: not known, or in between.", "namespace", "cluster")
	stalled         = desc("stalled", "1: a person must help.", "namespace", "cluster", "reason")
	reverted        = desc("reverted", "1: a foreign writer reverted the Cluster object's configuration.", "namespace", "cluster")
	awaiting        = desc("awaiting_approval_since_timestamp_seconds", "Since when a plan waits for its approval.", "namespace", "cluster")
	auditChecks     = desc("audit_checks", "Checks of the last audit by their result.", "namespace", "cluster", "result")
	auditedAt       = desc("audit_last_success_timestamp_seconds", "When the last audit was made.", "namespace", "cluster")
	lastProgress    = desc("step_last_progress_timestamp_seconds", "When something last moved that a step waits for.", "namespace", "cluster", "step")
)

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	for _, one := range []*prometheus.Desc{
		buildInfo, leader, runsLimit, runsInFlight,
		clusterInfo, clusterPosition, stalled, reverted, awaiting, auditChecks, auditedAt, lastProgress,
	} {
		to <- one
	}
}
