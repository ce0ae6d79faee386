package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/awsmigrate/awsmigrate/internal/controller"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(to chan<- prometheus.Metric) {
	out := metricSink(to)
	leads := m.leads()
	m.mu.Lock()
	defer m.mu.Unlock()
	out.gauge(buildInfo, 1, m.o.Build.Version, m.o.Build.Commit)
	out.gauge(leader, boolValue(leads))
	out.gauge(runsLimit, float64(m.o.Runs))
	underWay := map[string]float64{}
	for key, j := range m.jobs {
		underWay[j.Kind]++
		if j.wait != nil {
			out.time(lastProgress, j.wait.lastProgress, key.Namespace, key.Name, j.wait.step)
		}
	}
	for _, kind := range []string{kindRun, kindGuard, kindLook} {
		out.gauge(runsInFlight, underWay[kind], kind)
	}
	if !leads {
		return // the leader reports clusters and rollouts
	}
	for key, f := range m.clusters {
		out.cluster(key, f)
	}
	for key, s := range m.rollouts {
		out.rollout(key, s)
	}
}

// metricSink is the channel that receives metrics.
type metricSink chan<- prometheus.Metric

func (to metricSink) cluster(key controller.Key, f facts) {
	to.gauge(clusterInfo, 1, key.Namespace, key.Name, f.distribution, string(f.state))
	to.gauge(clusterPosition, positionNumber(f.position), key.Namespace, key.Name)
	to.gauge(reverted, boolValue(f.reverted), key.Namespace, key.Name)
	if f.state == status.Stalled {
		to.gauge(stalled, 1, key.Namespace, key.Name, string(f.reason))
	}
	if !f.awaiting.IsZero() {
		to.time(awaiting, f.awaiting, key.Namespace, key.Name)
	}
	if f.audit != nil {
		to.audit(key, *f.audit)
	}
}

func (to metricSink) audit(key controller.Key, a v1alpha1.Audit) {
	for result, count := range map[string]int64{"ok": a.OK, "warn": a.Warn, "fail": a.Fail, "skip": a.Skip, "unknown": a.Unknown} {
		to.gauge(auditChecks, float64(count), key.Namespace, key.Name, result)
	}
	to.time(auditedAt, a.At.Time, key.Namespace, key.Name)
}

func (to metricSink) gauge(of *prometheus.Desc, value float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(of, prometheus.GaugeValue, value, labels...)
}

func (to metricSink) time(of *prometheus.Desc, at time.Time, labels ...string) {
	to.gauge(of, float64(at.UnixMilli())/1000, labels...)
}

func boolValue(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
