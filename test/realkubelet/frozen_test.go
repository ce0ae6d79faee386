//go:build realkubelet

package realkubelet_test

import (
	"syscall"
	"time"

	"github.com/awsmigrate/awsmigrate/test/realkubelet"
)

// A frozen process without a probe is shown running and Ready, as if it worked.
func freeze(s *stage) {
	const for20 = 20 * time.Second
	s.startStatic()
	begin := time.Now()
	s.kill(s.a, syscall.SIGSTOP)
	s.pass(for20)
	if states := s.story().States(begin, begin); states != "nothing" {
		s.Errorf("a process was frozen, but the API showed %s", states)
	}
	s.kill(s.a, syscall.SIGCONT)
	s.requirePause(begin, for20)
	s.requireEndNotShown(s.a)
	s.row(begin, begin, "SIGSTOP for 20 s, no liveness probe (seconds from SIGSTOP)")
	s.clear()
}

// requirePause waits for the process's beats to continue, and requires a gap in them: the process
// really was frozen.
func (s *stage) requirePause(from time.Time, d time.Duration) {
	s.Helper()
	thawed := time.Now()
	s.must(realkubelet.Until(s.Context(), "the process to write beats again", func() (bool, error) {
		beats, err := realkubelet.Beats(s.a)
		return err == nil && beats[len(beats)-1].After(thawed), err
	}))
	beats, err := realkubelet.Beats(s.a)
	s.must(err)
	longest := time.Duration(0)
	for i, beat := range beats[1:] {
		if beat.After(from) {
			longest = max(longest, beat.Sub(beats[i]))
		}
	}
	if longest < d-time.Second {
		s.Errorf("process %d must be frozen for %s, but the longest gap in its beats is %s", s.a.PID, d, longest)
	}
}

// With a liveness probe the kubelet kills it, and shows the end afterwards.
func freezeWithProbe(s *stage) {
	port, err := realkubelet.FreePort()
	s.must(err)
	s.c.Probe = port
	s.startStatic()
	begin := time.Now()
	s.kill(s.a, syscall.SIGSTOP)
	s.a = s.awaitEnd(s.a)
	s.requireReady(s.awaitNext(s.a))
	s.requireEndShown(s.a)
	s.row(begin, s.a.Ended, "SIGSTOP with a liveness probe (every 2 s, 3 times, grace 5 s; %.1f s before the end)", s.a.Ended.Sub(begin).Seconds())
	s.clear()
}

// SIGKILL ends a frozen process as well, and its end is shown like any other.
func killWhileFrozen(s *stage) {
	s.startStatic()
	s.kill(s.a, syscall.SIGSTOP)
	s.pass(3 * time.Second)
	s.kill(s.a, syscall.SIGKILL)
	s.a = s.awaitEnd(s.a)
	s.requireReady(s.awaitNext(s.a))
	s.requireEndShown(s.a)
	s.row(s.a.Ended, s.a.Ended, "SIGSTOP, 3 s later SIGKILL")
	s.clear()
}

// A frozen kubelet shows no end, and its Node becomes not Ready late. Once thawed, it shows the
// end.
func freezeKubelet(s *stage) {
	s.startStatic()
	begin := time.Now()
	s.SignalKubelet(syscall.SIGSTOP)
	s.kill(s.a, syscall.SIGKILL)
	s.a = s.awaitEnd(s.a)
	silent := s.nodeNotReady(begin)
	s.pass(3 * time.Second)
	s.requireEndNotShown(s.a)
	thawed := time.Now()
	s.SignalKubelet(syscall.SIGCONT)
	s.requireReady(s.awaitNext(s.a))
	s.requireEndShown(s.a)
	s.row(s.a.Ended, s.a.Ended, "kubelet under SIGSTOP, container killed; Node not Ready at %.1f s, SIGCONT at %.1f s", silent.Sub(s.a.Ended).Seconds(), thawed.Sub(s.a.Ended).Seconds())
	s.must(s.NodeReady(s.Context()))
	s.clear()
}

// nodeNotReady waits until the API shows the Node as not Ready.
func (s *stage) nodeNotReady(from time.Time) time.Time {
	s.Helper()
	at, err := s.NodeNotReady(s.Context(), from)
	s.must(err)
	return at
}

// A thawed kubelet carries out an edit made while it was frozen, as a running one does.
func editWhileKubeletIsFrozen(s *stage) {
	s.startStatic()
	s.SignalKubelet(syscall.SIGSTOP)
	begin := time.Now()
	s.edit()
	s.pass(15 * time.Second)
	if states := s.story().States(begin, begin); states != "nothing" {
		s.Errorf("the kubelet was frozen, but the API showed %s", states)
	}
	thawed := time.Now()
	s.SignalKubelet(syscall.SIGCONT)
	s.a = s.awaitEnd(s.a)
	s.requireReady(s.awaitNext(s.a))
	s.requireEndNotShown(s.a)
	if side := s.story().SideBySide(); side > 0 {
		s.Errorf("a thawed kubelet ran two processes for %s", side)
	}
	s.row(begin, s.a.Ended, "manifest edited while kubelet is under SIGSTOP (SIGCONT 15 s later, %.1f s before the end)", s.a.Ended.Sub(thawed).Seconds())
	s.clear()
}
