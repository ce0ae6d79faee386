package node

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	clocktesting "k8s.io/utils/clock/testing"
)

func TestCrashDelay(t *testing.T) {
	want := []time.Duration{0, 0, 10, 20, 40, 80, 160, 300, 300}
	for crashes, seconds := range want {
		if got := crashDelay(crashes, 10*time.Second); got != seconds*time.Second {
			t.Errorf("after %d crashes %v, wanted %v", crashes, got, seconds*time.Second)
		}
	}
}

// scripted is a task whose processes exit on request.
type scripted struct {
	*task
	clock  *clocktesting.FakeClock
	starts chan *pause
	done   chan struct{}
}

func script(t *testing.T, policy corev1.RestartPolicy, failures ...error) *scripted {
	t.Helper()
	return scriptProbed(t, probes{}, policy, failures...)
}

func scriptProbed(t *testing.T, probes probes, policy corev1.RestartPolicy, failures ...error) *scripted {
	t.Helper()
	s := &scripted{clock: clocktesting.NewFakeClock(time.Unix(1000, 0)), starts: make(chan *pause, 10), done: make(chan struct{})}
	s.task = &task{clock: s.clock, policy: policy, backOff: 10 * time.Second, grace: time.Second, tail: func() string { return "last words" }, kubelet: &gate{},
		probes: probes, again: make(chan struct{}, 1)}
	s.start = func(int) (process, error) {
		if len(failures) > 0 {
			err := failures[0]
			failures = failures[1:]
			return nil, err
		}
		p := newPause()
		s.starts <- p
		return p, nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() {
		defer close(s.done)
		s.run(ctx)
	}()
	return s
}

func (s *scripted) next(t *testing.T) *pause {
	t.Helper()
	select {
	case p := <-s.starts:
		return p
	case <-time.After(time.Minute):
		t.Fatalf("no start: %+v", s.snapshot())
		return nil
	}
}

// until waits for another goroutine and never steps the fake clock.
func (s *scripted) until(t *testing.T, what string, is func(taskState) bool) {
	t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !is(s.snapshot()) {
		select {
		case <-deadline.C:
			t.Fatalf("%s: %+v", what, s.snapshot())
		case <-tick.C:
		}
	}
}

func TestCrashLoop(t *testing.T) {
	s := script(t, corev1.RestartPolicyAlways)
	s.next(t).end(1)
	second := s.next(t) // at once
	s.until(t, "running again", func(x taskState) bool { return x.Running && x.Restarts == 1 && x.Last.ExitCode == 1 })
	second.end(2)
	s.until(t, "backing off", func(x taskState) bool { return x.Waiting == "CrashLoopBackOff" && s.clock.HasWaiters() })
	if last := s.snapshot().Last; last.ExitCode != 2 || last.Message != "last words" {
		t.Errorf("last termination %+v", last)
	}
	s.clock.Step(9 * time.Second)
	select {
	case <-s.starts:
		t.Fatal("started before its back-off was over")
	default:
	}
	s.clock.Step(time.Second)
	s.next(t)
	s.until(t, "running", func(x taskState) bool { return x.Running && x.Restarts == 2 && x.Waiting == "" })
}

func TestRestartPolicies(t *testing.T) {
	for _, test := range []struct {
		policy corev1.RestartPolicy
		code   int
		again  bool
	}{
		{corev1.RestartPolicyNever, 0, false}, {corev1.RestartPolicyNever, 1, false},
		{corev1.RestartPolicyOnFailure, 0, false}, {corev1.RestartPolicyOnFailure, 1, true},
		{corev1.RestartPolicyAlways, 0, true},
	} {
		s := script(t, test.policy)
		s.next(t).end(test.code)
		if test.again {
			s.next(t)
			continue
		}
		<-s.done
		if state := s.snapshot(); !state.Ended || state.Last.ExitCode != test.code {
			t.Errorf("%s, exit %d: %+v", test.policy, test.code, state)
		}
	}
}

func TestImageBackOff(t *testing.T) {
	pull := &startError{Reason: "ErrImagePull", Err: errors.New("not found")}
	s := script(t, corev1.RestartPolicyAlways, pull)
	s.until(t, "failed", func(x taskState) bool { return x.Waiting == "ErrImagePull" && s.clock.HasWaiters() })
	s.clock.Step(time.Second)
	s.until(t, "backing off", func(x taskState) bool { return x.Waiting == "ImagePullBackOff" && s.clock.HasWaiters() })
	s.clock.Step(9 * time.Second)
	s.next(t)
	s.until(t, "running", func(x taskState) bool { return x.Running && x.Restarts == 0 })
}

func TestKilledStaysAway(t *testing.T) {
	s := script(t, corev1.RestartPolicyAlways)
	s.next(t)
	s.until(t, "running", func(x taskState) bool { return x.Running })
	if found, err := s.signal(os.Kill, 20*time.Second); !found || err != nil {
		t.Fatalf("found %t, %v", found, err)
	}
	s.until(t, "down", func(x taskState) bool { return !x.Running && s.clock.HasWaiters() })
	s.clock.Step(19 * time.Second)
	select {
	case <-s.starts:
		t.Fatal("back before its downtime was over")
	default:
	}
	s.clock.Step(time.Second)
	s.next(t)
}

func TestReadinessNeedsARunningProcess(t *testing.T) {
	s := script(t, corev1.RestartPolicyNever)
	p := s.next(t)
	s.until(t, "ready without a probe", func(x taskState) bool { return x.Ready })
	p.end(0)
	<-s.done
	if s.snapshot().Ready {
		t.Error("an ended process is ready")
	}
}

// A restarted kubelet shows a container as not ready until it has probed it.
func TestProbedAgain(t *testing.T) {
	passes := &probe{check: func(context.Context) error { return nil }, period: time.Second, timeout: time.Second, failureLimit: 1}
	for name, p := range map[string]probes{"startup": {startup: passes}, "readiness": {readiness: passes}} {
		s := scriptProbed(t, p, corev1.RestartPolicyAlways)
		s.next(t)
		s.until(t, name+": ready", func(x taskState) bool { return x.Ready })
		for range 2 {
			s.probeAgain()
			s.until(t, name+": not probed yet", func(x taskState) bool { return !x.Ready && x.Running && s.clock.HasWaiters() })
			s.clock.Step(afterRestart)
			s.until(t, name+": ready again", func(x taskState) bool { return x.Ready })
		}
	}
}
