package metrics

import "github.com/prometheus/client_golang/prometheus"

// Descriptions of the metrics that Collect computes.
var (
	buildInfo    = desc("build_info", "The build of awsmigrate, always 1.", "version", "commit")
	leader       = desc("leader", "1 if this process leads and decides.")
	runsLimit    = desc("runs_limit", "Maximum number of concurrent runs.")
	runsInFlight = desc("runs_in_flight", "Current work of this process.", "kind")

	clusterInfo     = desc("cluster_info", "The state of a cluster's ClusterMigration, always 1.", "namespace", "cluster", "distribution", "state")
	clusterPosition = desc("cluster_position", "The position of a cluster, 0 to 5 as in P0 to P5; -1 if unknown, or between two positions.", "namespace", "cluster")
	stalled         = desc("stalled", "1 while the cluster waits for a manual fix.", "namespace", "cluster", "reason")
	reverted        = desc("reverted", "1 if another writer reverted the configuration of the Cluster object.", "namespace", "cluster")
	awaiting        = desc("awaiting_approval_since_timestamp_seconds", "The time since when a plan waits for approval.", "namespace", "cluster")
	auditChecks     = desc("audit_checks", "Checks of the last audit by their result.", "namespace", "cluster", "result")
	auditedAt       = desc("audit_last_success_timestamp_seconds", "The time of the last completed audit.", "namespace", "cluster")
	rolloutClusters = desc("rollout_clusters", "The clusters of a MigrationRollout by their state.", "namespace", "rollout", "state")
	waveStopped     = desc("wave_stopped", "1 while a wave of a MigrationRollout is stopped.", "namespace", "rollout", "wave")
	lastProgress    = desc("step_last_progress_timestamp_seconds", "The time of the last progress of a waiting step.", "namespace", "cluster", "step")
)

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	for _, one := range []*prometheus.Desc{
		buildInfo, leader, runsLimit, runsInFlight,
		clusterInfo, clusterPosition, stalled, reverted, awaiting, auditChecks, auditedAt, lastProgress, rolloutClusters, waveStopped,
	} {
		to <- one
	}
}
