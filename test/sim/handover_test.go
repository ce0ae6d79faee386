package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// gapsByStep holds the longest times without cloud controllers, by step.
type gapsByStep struct {
	w       *World
	by      map[journal.StepID]time.Duration
	elapsed map[journal.StepID]time.Duration
	shown   map[journal.StepID]string
}

func newGaps(w *World) *gapsByStep {
	return &gapsByStep{w: w, by: map[journal.StepID]time.Duration{}, elapsed: map[journal.StepID]time.Duration{}, shown: map[journal.StepID]string{}}
}

// Emit implements runner.Sink.
func (g *gapsByStep) Emit(e runner.Event) {
	g.w.mu.Lock()
	defer g.w.mu.Unlock()
	if e.Type == runner.StepStarted {
		g.w.monitor.longest = 0
	}
	if e.Type == runner.StepFinished || e.Type == runner.StepFailed {
		g.by[e.Step], g.elapsed[e.Step], g.shown[e.Step] = g.w.monitor.longest, e.Elapsed, strings.Join(e.Lines, "; ")
	}
}

var early = []struct {
	scenario
	expires bool // the fence: no kubelet's report is read
}{
	{scenario{"rke2", NewRKE2, Run{Early: true}}, false},
	{scenario{"rke2 by manifest", NewRKE2, Run{Early: true, Method: "additional-manifest"}}, false},
	{scenario{"rke", NewRKE, Run{Early: true}}, true},
	{scenario{"rke in Rancher", NewManaged, Run{Early: true}}, true},
	{scenario{"rke2 without a report", NewRKE2, Run{Early: true}}, true},
	{scenario{"rke2 by manifest, without a report", NewRKE2, Run{Early: true, Method: "additional-manifest"}}, true},
}

// refuseReport returns a hook that refuses the first read of a container after the fence, so
// that the fence expires.
func refuseReport() func(Call) Outcome {
	fenced, refused := false, false
	return func(c Call) Outcome {
		fenced = fenced || isFenceWrite(c)
		if fenced && !refused && isReportRead(c) {
			refused = true
			return Denied
		}
		return Pass
	}
}

// isReportRead reports whether a call reads the pod of one kube-controller-manager.
func isReportRead(c Call) bool {
	return !c.Writes && strings.Contains(c.Path, "/pods/"+kcmName+"-")
}

// The cloud controller manager leads while every kube-controller-manager is in-tree, and the
// switch makes no further hand-over.
func TestEarlyHandOver(t *testing.T) {
	for _, s := range early {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := s.world()
			seen := newGaps(w)
			s.run.ID, s.run.Sink = runID(1), seen
			if s.expires {
				s.run.Before = refuseReport()
			}
			ended := do(t, s.run, w)
			if ended.Err != nil {
				t.Fatal(ended.Err)
			}
			if told, longest := ended.Result.Pauses, slices.Max(slices.Collect(maps.Values(seen.by))); len(told) == 0 || slices.Max(told) < longest {
				t.Errorf("the run reports pauses of at most %v, but the longest took %s", told, longest)
			}
			most := 8 * time.Second
			if !s.expires {
				most = 2 * time.Second
			}
			if gap := seen.by["hand-over"]; gap > most || gap == 0 && s.expires { // an end and a start within one tick leave no gap
				t.Errorf("%s without cloud controllers at the hand-over", gap)
			}
			if gap := seen.by["switch-provider"]; gap != 0 {
				t.Errorf("%s without cloud controllers at the switch", gap)
			}
			if shown := seen.shown["hand-over"]; !strings.Contains(shown, "(aws-cloud-controller-manager), renewing") || !strings.Contains(shown, "load balancers with the host names of before: 1") {
				t.Errorf("evidence %q", shown)
			}
			if wrong := w.Violations(); len(wrong) > 0 {
				t.Errorf("%v", wrong)
			}
			t.Logf("counts: hand-over of %s: %s without cloud controllers, %s in all", s.name, seen.by["hand-over"], seen.elapsed["hand-over"])
		})
	}
}

// isFenceWrite reports whether a call writes the migration lease.
func isFenceWrite(c Call) bool {
	return c.Writes && strings.Contains(c.Path, "/leases/"+migrationLease)
}

// After any event right behind the fence, two managers never run at once, the lease recovers, and
// the run reports the result.
func TestBehindTheFence(t *testing.T) {
	ccms := func(p process) bool { return p.component == ccmName }
	for name, tt := range map[string]struct {
		happens func(w *World) // w.mu is held
		reason  string         // reason of the run's error; empty if it hands over
		most    time.Duration  // maximum time without cloud controllers
	}{
		"the holder ends at once": {func(w *World) {
			for _, p := range w.processes {
				if !p.held.IsZero() {
					w.restart(p)
				}
			}
		}, "", 24 * time.Second},
		"the cloud controller manager is gone":                {func(w *World) { w.stop(ccms) }, "TakenBack", 45 * time.Second},
		"the cloud controller manager ends whenever it leads": {func(w *World) { w.ccmFails = true }, "TakenBack", 45 * time.Second},
		"another host name of a load balancer": {func(w *World) {
			service := w.down.get("services", "default", "front")
			mapAt(service, "status", "loadBalancer")["ingress"] = []any{object{"hostname": "b2-2.eu-west-1.elb.amazonaws.com"}}
			w.down.put("services", service, w.now)
		}, "LoadBalancerChanged", 8 * time.Second},
	} {
		for _, expires := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, expires %t", name, expires), func(t *testing.T) {
				t.Parallel()
				w := NewRKE2()
				seen, happened := newGaps(w), false
				r := Run{ID: runID(1), Early: true, Sink: seen, Until: "hand-over"}
				if expires {
					r.Before = refuseReport()
				}
				r.After = func(c Call) {
					if isFenceWrite(c) && !happened {
						happened = true
						tt.happens(w)
					}
				}
				ended := do(t, r, w)
				if got := clustertest.ReasonOf(ended.Err); got != tt.reason || !happened {
					t.Errorf("happened %t, ends with %q: %v", happened, got, ended.Err)
				}
				if f, ok := fault.As(ended.Err); tt.reason != "" && (!ok || !strings.Contains(f.Fix, "undo")) {
					t.Errorf("%v does not name the way back", ended.Err)
				}
				if gap := seen.by["hand-over"]; gap > tt.most {
					t.Errorf("%s without cloud controllers", gap)
				}
				if wrong := w.Violations(); len(wrong) > 0 {
					t.Errorf("%v", wrong)
				}
			})
		}
	}
}

// A kubelet's report about any other container than the holder's does not clear the fence.
func TestEndsThatAreNotTheHolders(t *testing.T) {
	for name, id := range map[string]any{"invented, without a container": nil, "of another container": "containerd://forgotten"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := NewRKE2()
			seen, fenced, shown := newGaps(w), false, false
			r := Run{ID: runID(1), Early: true, Sink: seen, Until: "hand-over"}
			r.After = func(c Call) { // the holder was seen to run after the fence
				fenced = fenced || isFenceWrite(c)
				if fenced && !shown && isReportRead(c) {
					shown = true
					w.inventEnd(id)
				}
			}
			if ended := do(t, r, w); ended.Err != nil || !shown {
				t.Errorf("shown %t, ends with %v", shown, ended.Err)
			}
			if gap := seen.by["hand-over"]; gap > 8*time.Second {
				t.Errorf("%s without cloud controllers", gap)
			}
			if wrong := w.Violations(); len(wrong) > 0 {
				t.Errorf("%v", wrong)
			}
		})
	}
}

// inventEnd makes the kubelet of the holder show the end of a container that keeps running,
// without an ID or with another. The holder renewed the lease right before the fence, so it keeps
// running for the maximum time.
func (w *World) inventEnd(id any) {
	for i := range w.processes {
		p := &w.processes[i]
		if p.component != kcmName || p.held.IsZero() {
			continue
		}
		p.held = w.now
		pod := w.down.get(pods, kubeSystem, kcmName+"-"+p.node)
		status := list(pod, "status", "containerStatuses")[0].(object)
		end := object{"exitCode": int64(137), "reason": "ContainerStatusUnknown", "finishedAt": w.clockOf(p.node).Format(time.RFC3339)}
		if id != nil {
			end["containerID"], end["reason"] = id, "Error"
		}
		status["lastState"] = object{"terminated": end}
		w.down.put(pods, pod, w.now)
	}
}

// The machines' clocks are hours apart, and none is right. The times in leases and statuses are
// compared only with times from the same machine.
func TestHandOverWithClocksApart(t *testing.T) {
	for _, first := range []time.Duration{5 * time.Hour, -5 * time.Hour, 20 * time.Second} {
		t.Run(first.String(), func(t *testing.T) {
			t.Parallel()
			w := NewRKE2()
			w.setClocks(first)
			seen := newGaps(w)
			if ended := do(t, Run{ID: runID(1), Early: true, Sink: seen}, w); ended.Err != nil {
				t.Fatal(ended.Err)
			}
			if gap := seen.by["hand-over"]; gap > 2*time.Second {
				t.Errorf("%s without cloud controllers at the hand-over", gap)
			}
			if gap := seen.by["switch-provider"]; gap != 0 {
				t.Errorf("%s without cloud controllers at the switch", gap)
			}
			if wrong := w.Violations(); len(wrong) > 0 {
				t.Errorf("%v", wrong)
			}
		})
	}
}

// setClocks puts the first machine's clock ahead, the third's behind, and keeps the second's
// right. It also shifts the times that their kubelets have shown so far.
func (w *World) setClocks(by time.Duration) {
	w.apart = map[string]time.Duration{}
	for i, m := range w.machines {
		w.apart[m.node] = by * time.Duration(1-i)
		if pod := w.down.get(pods, kubeSystem, kcmName+"-"+m.node); pod != nil {
			pod["status"] = podStatus(mapAt(pod, "spec"), true, w.clockOf(m.node))
			w.down.put(pods, pod, w.now)
		}
		if lease := w.down.get(leasesResource, nodeLeases, m.node); lease != nil {
			mapAt(lease, "spec")["renewTime"] = w.clockOf(m.node).Format(microTime)
			w.down.put(leasesResource, lease, w.now)
		}
	}
}
