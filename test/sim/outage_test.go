package sim

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// holdPods gives every kube-controller-manager's pod the number of restarts, and holds it in
// back-off or lets it run.
func (w *World) holdPods(restarts int64, held bool, which func(node string) bool) {
	for _, k := range w.down.keys(pods, kubeSystem) {
		pod := w.down.get(pods, kubeSystem, k.name)
		if text(pod, "metadata", "labels", "component") != kcmName || !which(text(pod, "spec", "nodeName")) {
			continue
		}
		pod["status"] = podStatus(mapAt(pod, "spec"), !held, w.now)
		status := list(pod, "status", "containerStatuses")[0].(object)
		status["restartCount"] = restarts
		status["lastState"] = object{"terminated": object{"exitCode": int64(1), "reason": "Error"}}
		if held {
			status["state"] = object{"waiting": object{"reason": "CrashLoopBackOff"}}
		}
		w.down.put(pods, pod, w.now)
	}
}

// etcd is unavailable for two minutes in the middle of a rollout. So is every API server, and
// kube-controller-managers end again and again without theirs. Afterwards they stay in back-off
// for a while. No argument is wrong, and the run continues.
func TestOutageIsNoBrokenArgument(t *testing.T) {
	const from, back, again = 80 * time.Second, 200 * time.Second, 226 * time.Second
	s := scenarios[0]
	w, r := s.world(), s.run
	all := func(string) bool { return true }
	r.ID = runID(1)
	wasBack, wasAgain := false, false
	r.Before = func(Call) Outcome {
		at := w.now.Sub(epoch)
		switch {
		case at >= from && at < back:
			return Away
		case at >= back && !wasBack:
			wasBack = true
			w.holdPods(4, true, all)
		case at >= again && !wasAgain:
			wasAgain = true
			w.holdPods(5, false, all)
		}
		return Pass
	}
	if ended := do(t, r, w); ended.Err != nil || !wasAgain {
		t.Errorf("back %t, running again %t: %v", wasBack, wasAgain, ended.Err)
	}
	for _, v := range w.Violations() {
		t.Error(v)
	}
}

// A wrong argument on the first machine of a rollout is named within two minutes.
func TestBrokenArgumentIsNamedSoon(t *testing.T) {
	s := scenarios[0]
	w, r := s.world(), s.run
	r.ID = runID(1)
	var first string
	var since time.Time
	ends := int64(0)
	r.Before = func(c Call) Outcome {
		for _, m := range w.machines {
			pod := w.down.peek(pods, kubeSystem, kcmName+"-"+m.node)
			if first == "" && m.controlPlane && pod != nil && hasFlag(pod) {
				first, since = m.node, w.now
			}
		}
		if first == "" {
			return Pass
		}
		for n, at := range []time.Duration{0, time.Second, 12 * time.Second, 33 * time.Second, 74 * time.Second} {
			if int64(n) >= ends && w.now.Sub(since) >= at {
				ends = int64(n) + 1
				w.holdPods(int64(n), true, func(node string) bool { return node == first })
			}
		}
		return Pass
	}
	ended := do(t, r, w)
	f, ok := fault.As(ended.Err)
	if !ok || f.Reason != "ComponentCrashes" || w.Now().Sub(since) > 2*time.Minute {
		t.Errorf("after %s and %d ends: %v", w.Now().Sub(since), ends, ended.Err)
	}
}

func hasFlag(pod object) bool {
	for _, arg := range list(pod["spec"].(object)["containers"].([]any)[0].(object), "args") {
		if isFlag(arg.(string)) {
			return true
		}
	}
	return false
}
