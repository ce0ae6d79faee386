package node

import (
	"testing"
	"time"

	"k8s.io/utils/clock"
)

// A kubelet that is about to restart still answers when its machine's plan was
// applied. Its answer counts for nothing: the probe's initial delay comes first.
func TestFirstProbeWaitsForItsInitialDelay(t *testing.T) {
	old := &kubelet{}
	old.healthy.Store(true)
	s := &session{rke2: &rke2Service{current: old}}
	s.planner = planState{fresh: true, status: map[string]probeStatus{}, probes: map[string]planProbe{
		"kubelet": {InitialDelaySeconds: 1, SuccessThreshold: 1, FailureThreshold: 2, HTTPGet: planHTTPGet{URL: "http://127.0.0.1:10248/healthz"}}}}
	stops := time.AfterFunc(300*time.Millisecond, func() { old.healthy.Store(false) })
	defer stops.Stop()
	a := &Agent{c: Config{Clock: clock.RealClock{}}}

	a.probe(t.Context(), s)
	if s.planner.status["kubelet"].Healthy || s.planner.fresh {
		t.Errorf("after the first probe: %+v", s.planner)
	}
	old.healthy.Store(true)
	began := time.Now()
	a.probe(t.Context(), s)
	if !s.planner.status["kubelet"].Healthy || time.Since(began) > 500*time.Millisecond {
		t.Errorf("after the second, %s long: %+v", time.Since(began), s.planner)
	}
}
