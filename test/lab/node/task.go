package node

import (
	"context"
	"errors"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
)

// process is a started program; *proc.Process implements it.
type process interface {
	Pid() int
	Done() <-chan struct{}
	ExitCode() int
	Signal(os.Signal) error
	Stop(grace time.Duration)
}

// termination describes the end of a process.
type termination struct {
	ExitCode          int
	Message           string
	Started, Finished time.Time
	Restarts          int // before this run
}

// taskState describes a task at one moment.
type taskState struct {
	Running  bool
	Started  time.Time
	Waiting  string // the reason while it does not run
	Message  string // of Waiting
	Last     *termination
	Restarts int
	Ended    bool // ended for good, by its restart policy
	Ready    bool
	PID      int
}

// task keeps one container's process running as the kubelet would: with restart policy, crash
// back-off and probes.
type task struct {
	clock    clock.WithTicker
	start    func(attempt int) (process, error)
	tail     func() string // end of its log
	policy   corev1.RestartPolicy
	backOff  time.Duration
	grace    time.Duration
	delay    time.Duration // before the first start
	relist   time.Duration // until its kubelet sees an end
	probes   probes
	onChange func()
	events   events
	kubelet  *gate         // nil if it is never frozen
	left     atomic.Bool   // its kubelet no longer knows it, and does not restart it
	again    chan struct{} // another run of its kubelet has begun

	mu    sync.Mutex
	state taskState
	proc  process
	hold  time.Duration // the next restart waits at least this long
}

// startError is the error of a start, with the reason that the kubelet shows.
type startError struct {
	Reason string
	Err    error
}

func (e *startError) Error() string { return e.Err.Error() }
func (e *startError) Unwrap() error { return e.Err }

const maxBackOffFactor = 30 // 10 s … 5 min

// crashDelay returns the kubelet's back-off: the first restart is immediate, then the delay is
// base, doubled each time, up to 30 times base.
func crashDelay(crashes int, base time.Duration) time.Duration {
	if crashes <= 1 {
		return 0
	}
	delay := base
	for range crashes - 2 {
		if delay *= 2; delay >= maxBackOffFactor*base {
			return maxBackOffFactor * base
		}
	}
	return delay
}

// run returns when the task has ended for good, or ctx has ended and the process is gone.
func (t *task) run(ctx context.Context) {
	t.update(func(s *taskState) { s.Waiting = "ContainerCreating" })
	if !t.sleep(ctx, t.delay) {
		return
	}
	crashes := 0
	for attempt := 0; ; attempt++ {
		if !t.thawed(ctx) {
			return
		}
		p, err := t.start(attempt)
		if err != nil {
			crashes++
			if t.failed(err); !t.retry(ctx, err, crashDelay(crashes, t.backOff)) {
				return
			}
			attempt--
			continue
		}
		started := t.clock.Now()
		t.running(p, started, attempt)
		t.watch(ctx, p)
		ended := t.clock.Now()
		if !t.sleep(ctx, t.relist) {
			t.exited(p, started, ended)
			return
		}
		t.exited(p, started, ended)
		if t.left.Load() || t.policy == corev1.RestartPolicyNever || t.policy == corev1.RestartPolicyOnFailure && p.ExitCode() == 0 {
			t.update(func(s *taskState) { s.Ended = true })
			return
		}
		if t.clock.Since(started) >= 2*maxBackOffFactor*t.backOff {
			crashes = 0
		}
		crashes++
		if !t.pause(ctx, crashDelay(crashes, t.backOff)) {
			return
		}
	}
}

func (t *task) pause(ctx context.Context, delay time.Duration) bool {
	t.mu.Lock()
	delay, t.hold = max(delay, t.hold), 0
	t.mu.Unlock()
	if delay == 0 {
		return ctx.Err() == nil
	}
	t.update(func(s *taskState) {
		s.Waiting = "CrashLoopBackOff"
		s.Message = "back-off " + delay.String() + " restarting failed container"
	})
	t.events.say(crashing(t.events))
	return t.sleep(ctx, delay)
}

// retry waits after a failed start. An image is reported as failed for a moment, then as
// backing off.
func (t *task) retry(ctx context.Context, err error, delay time.Duration) bool {
	delay = max(t.backOff, delay)
	if reasonOf(err) != "ErrImagePull" {
		return t.sleep(ctx, delay)
	}
	if !t.sleep(ctx, delay/10) {
		return false
	}
	t.update(func(s *taskState) {
		s.Waiting, s.Message = "ImagePullBackOff", "Back-off pulling image "+strconv.Quote(t.events.image)
	})
	t.events.say(pullingAgain(t.events)...)
	return t.sleep(ctx, delay-delay/10)
}

func reasonOf(err error) string {
	var e *startError
	if errors.As(err, &e) {
		return e.Reason
	}
	return "RunContainerError"
}

func (t *task) sleep(ctx context.Context, d time.Duration) bool { return wait(ctx, t.clock, d) }

// watch returns when p has exited: on its own, after a failed liveness probe, or because ctx is
// done.
func (t *task) watch(ctx context.Context, p process) {
	for probes := t.probes; t.probe(ctx, p, probes); probes = t.probes.again() {
		t.setReady(false)
	}
}

// probe probes p for one run of the kubelet. It reports whether another run has begun.
func (t *task) probe(ctx context.Context, p process, probes probes) bool {
	probing, stop := context.WithCancel(ctx)
	dead, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		probes.run(probing, t.clock, t.setReady, func() { close(dead) })
	}()
	defer func() { stop(); <-ended }()
	select {
	case <-t.again:
		return true
	case <-p.Done():
	case <-dead:
		t.thawed(ctx)
		p.Stop(t.grace)
	case <-ctx.Done():
		p.Stop(t.grace)
	}
	return false
}

// probeAgain forgets the results of probes, as a kubelet that was restarted has none.
func (t *task) probeAgain() {
	if t.probes.startup != nil || t.probes.readiness != nil {
		nudge(t.again)
	}
}

func (t *task) running(p process, at time.Time, attempt int) {
	t.mu.Lock()
	t.proc = p
	t.mu.Unlock()
	t.update(func(s *taskState) {
		s.Running, s.Started, s.Waiting, s.Message, s.PID = true, at, "", "", p.Pid()
		if attempt > 0 && s.Last != nil {
			s.Restarts++
		}
	})
	t.events.say(startedWell(t.events)...)
}

// follow makes the task the next container after one that has ended.
func (t *task) follow(old taskState) {
	t.update(func(s *taskState) { s.Restarts, s.Last = old.Restarts+1, old.Last })
}

func (t *task) exited(p process, started, ended time.Time) {
	end := &termination{ExitCode: p.ExitCode(), Message: t.tail(), Started: started, Finished: ended}
	t.mu.Lock()
	t.proc = nil
	t.mu.Unlock()
	t.update(func(s *taskState) {
		end.Restarts = s.Restarts
		s.Running, s.Ready, s.Last, s.PID = false, false, end, 0
	})
}

func (t *task) failed(err error) {
	t.update(func(s *taskState) {
		s.Running, s.Ready, s.Waiting, s.Message = false, false, reasonOf(err), err.Error()
	})
	t.events.say(notStarted(t.events, err)...)
}

func (t *task) setReady(ready bool) { t.update(func(s *taskState) { s.Ready = ready && s.Running }) }

func (t *task) update(change func(*taskState)) {
	t.mu.Lock()
	before := t.state
	change(&t.state)
	changed := before != t.state
	t.mu.Unlock()
	if changed && t.onChange != nil {
		t.onChange()
	}
}

func (t *task) snapshot() taskState {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state
}

// signal signals the running process and reports whether one runs. If the signal ends it, it is
// restarted after hold at the earliest.
func (t *task) signal(sig os.Signal, hold time.Duration) (bool, error) {
	t.mu.Lock()
	p := t.proc
	if p != nil {
		t.hold = hold
	}
	t.mu.Unlock()
	if p == nil {
		return false, nil
	}
	return true, p.Signal(sig)
}
