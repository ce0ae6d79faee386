package job

import (
	"testing"
	"time"
)

// controller models the Job controller of 1.26. In its work queue a Job waits at most once, at
// the earliest requested time. The number of its failures determines the pauses
// (kubernetes/kubernetes:pkg/controller/job/job_controller.go@v1.26.13, updatePod,
// enqueueControllerDelayed, syncJob, getBackoff; client-go:util/workqueue@v0.26.13,
// ItemExponentialFailureRateLimiter.When, delayingType.waitingLoop).
type controller struct {
	requeues int
	due      time.Duration // of the next sync; never: none is due
	failed   int
}

const never = time.Duration(1<<63 - 1)

// power returns base times 2^n, at most the longest pause.
func power(n int) time.Duration {
	pause := 10 * time.Second
	for range n {
		if pause *= 2; pause >= 6*time.Minute {
			return 6 * time.Minute
		}
	}
	return pause
}

// podFailed adds the Job to the queue.
func (c *controller) podFailed(at time.Duration) {
	if c.requeues > 0 {
		at += power(c.requeues - 1)
	}
	c.due = min(c.due, at)
}

// sync counts a newly observed failure, and begins a pause.
func (c *controller) sync(at time.Duration, newFailure bool) {
	c.due = never
	if newFailure {
		c.failed++
		c.due = at + power(c.requeues)
		c.requeues++
	}
}

// givenUp returns when a Job fails if every attempt takes the same time. restarted is when the
// controller restarts and forgets its pauses.
func givenUp(limit int32, try, restarted time.Duration) time.Duration {
	c := controller{due: never}
	ends := try // of the pod that was started last
	running, unseen := true, false
	for {
		at := c.due
		if running {
			at = min(at, ends)
		}
		if restarted > 0 && restarted <= at {
			at, restarted = restarted, 0
			c.requeues, c.due = 0, at
		}
		if running && at == ends {
			running, unseen = false, true
			c.podFailed(at)
		}
		if c.due > at {
			continue
		}
		c.sync(at, unseen)
		switch {
		case c.failed > int(limit):
			return at
		case unseen:
			running, unseen, ends = true, false, at+try
		}
	}
}

// tryTimes are possible durations of an attempt that finds the lock held: at most the 20 s
// between two renewals of its owner, plus the start of a pod. Other durations show that the limit
// does not depend on it.
func tryTimes() []time.Duration {
	return []time.Duration{0, time.Second, 5 * time.Second, 9 * time.Second, 11 * time.Second, 25 * time.Second, 45 * time.Second, 3 * time.Minute, 10 * time.Minute}
}

func TestBackoffLimit_heldLock_outlastsIt(t *testing.T) {
	limit := BackoffLimit(heldLock)
	for _, try := range tryTimes() {
		for restart := time.Duration(0); restart <= heldLock; restart += 17 * time.Second {
			if at := givenUp(limit, try, restart); at <= heldLock {
				t.Errorf("tries of %s, the controller restarted after %s: given up after %s", try, restart, at)
			}
		}
	}
}

func TestBackoffLimit_anyTime_isMinimal(t *testing.T) {
	limit, worst := BackoffLimit(heldLock), never
	for restart := time.Second; restart <= heldLock; restart += time.Second {
		worst = min(worst, givenUp(limit-1, 0, restart))
	}
	if worst > heldLock {
		t.Errorf("with one failure less, limit %d, a Job is given up after %s at the earliest", limit-1, worst)
	}
}

func TestPause(t *testing.T) {
	for limit, want := range map[int32]time.Duration{0: 0, 1: 10 * time.Second, 2: 30 * time.Second, 6: 630 * time.Second, 8: 1350 * time.Second} {
		if at := givenUp(limit, 0, 0); at != want {
			t.Errorf("limit %d: given up after %s, wanted %s", limit, at, want)
		}
		if n := failures(want); n != int(limit)+1 {
			t.Errorf("%d failures within %s, wanted %d", n, want, limit+1)
		}
	}
}
