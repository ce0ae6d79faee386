package metrics

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/internal/controller"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// facts holds what an object shows about its cluster.
type facts struct {
	state        status.State
	reason       status.Reason
	distribution string
	position     string
	audit        *v1alpha1.Audit
	reverted     bool
	awaiting     time.Time // when an approval was first awaited, or zero
}

// Shown implements controller.Meter.
func (m *Metrics) Shown(key controller.Key, s controller.Shown) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before, known := m.clusters[key]
	f := facts{
		state: s.State, reason: s.Reason, distribution: s.Distribution, position: s.Now.Position, audit: s.Now.Audit,
		reverted: meta.IsStatusConditionFalse(s.Now.Conditions, v1alpha1.ConditionOwnerAgrees),
	}
	if f.reason == "" {
		f.reason = status.Reason(s.State)
	}
	if f.distribution == "" {
		f.distribution = before.distribution
	}
	switch {
	case s.State != status.AwaitingApproval:
	case known && before.state == status.AwaitingApproval:
		f.awaiting = before.awaiting
	case !known && awaitsApproval(s.Before.Conditions): // by an earlier process
		f.awaiting = lastTransition(s.Before.Conditions)
	default:
		f.awaiting = m.o.Now()
	}
	m.clusters[key] = f
}

// Gone implements controller.Meter.
func (m *Metrics) Gone(key controller.Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.clusters, key)
}

// awaitsApproval reports whether the conditions show that the object waits for an approval.
func awaitsApproval(conditions []metav1.Condition) bool {
	ready := meta.FindStatusCondition(conditions, v1alpha1.ConditionReady)
	return ready != nil && slices.Contains([]status.Reason{status.Reason(status.AwaitingApproval), status.PlanMoved, status.PlanAltered}, status.Reason(ready.Reason))
}

// lastTransition returns the last transition time of the conditions. No condition stores the exact start of
// the state; this is a lower bound.
func lastTransition(conditions []metav1.Condition) time.Time {
	var last time.Time
	for _, of := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled} {
		if c := meta.FindStatusCondition(conditions, of); c != nil && c.LastTransitionTime.After(last) {
			last = c.LastTransitionTime.Time
		}
	}
	return last
}

// positionNumber returns a position as a number, or -1 if it is not P0 to P5.
func positionNumber(position string) float64 {
	if at := slices.Index([]string{"P0", "P1", "P2", "P3", "P4", "P5"}, position); at >= 0 {
		return float64(at)
	}
	return -1
}
