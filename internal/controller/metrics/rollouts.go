package metrics

import (
	"github.com/awsmigrate/awsmigrate/internal/controller"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
)

// RolledOut implements controller.Meter.
func (m *Metrics) RolledOut(key controller.Key, s *v1alpha1.MigrationRolloutStatus) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s == nil {
		delete(m.rollouts, key)
		return
	}
	m.rollouts[key] = *s
}

func (to metricSink) rollout(key controller.Key, s v1alpha1.MigrationRolloutStatus) {
	for state, count := range map[string]int64{"waiting": s.Counts.Waiting, "active": s.Counts.Active, "done": s.Counts.Done, "failed": s.Counts.Failed, "withdrawn": s.Counts.Withdrawn} {
		to.gauge(rolloutClusters, float64(count), key.Namespace, key.Name, state)
	}
	for _, wave := range s.Waves {
		to.gauge(waveStopped, boolValue(wave.State == string(rollout.WaveStopped)), key.Namespace, key.Name, wave.Name)
	}
}
