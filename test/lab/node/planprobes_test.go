package node

import (
	"context"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

// A kubelet that is about to restart still answers when its machine's plan is applied. Its answer
// does not count, because the probe's initial delay comes first.
func TestFirstProbeWaitsForItsInitialDelay(t *testing.T) {
	old := &kubelet{}
	old.healthy.Store(true)
	s := &session{rke2: &rke2Service{current: old}}
	s.planner = planState{fresh: true, status: map[string]probeStatus{}, probes: map[string]planProbe{
		"kubelet": {InitialDelaySeconds: 1, SuccessThreshold: 1, FailureThreshold: 2, HTTPGet: planHTTPGet{URL: "http://127.0.0.1:10248/healthz"}}}}
	clk := clocktesting.NewFakeClock(time.Now())
	a := &Agent{c: Config{Clock: clk}}

	first := make(chan struct{})
	go func() {
		defer close(first)
		a.probe(t.Context(), s)
	}()
	waitFor(t, "the first probe to wait", clk.HasWaiters)
	old.healthy.Store(false)
	clk.Step(time.Second)
	<-first
	if s.planner.status["kubelet"].Healthy || s.planner.fresh {
		t.Errorf("after the first probe: %+v", s.planner)
	}

	old.healthy.Store(true)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	a.probe(ctx, s) // no goroutine steps the clock, so it may not wait
	if !s.planner.status["kubelet"].Healthy || ctx.Err() != nil {
		t.Errorf("after the second: %+v, %v", s.planner, ctx.Err())
	}
}

// waitFor waits for another goroutine.
func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-deadline.C:
			t.Fatal("still waiting for " + what)
		case <-tick.C:
		}
	}
}
