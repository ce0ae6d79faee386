//go:build realkubelet

package realkubelet_test

import (
	"syscall"
	"time"

	"github.com/awsmigrate/awsmigrate/test/realkubelet"
)

// containerd ends what its shim held, before it says that it has ended.
func shimKilled(s *stage) {
	s.static()
	shim, err := realkubelet.Shim(s.a)
	s.must(err)
	begin := time.Now()
	s.must(realkubelet.Kill(shim, syscall.SIGKILL))
	s.a = s.ended(s.a)
	s.ready(s.next(s.a))
	s.row(begin, s.a.Ended, "shim of the container killed (%.1f s before the end)", s.a.Ended.Sub(begin).Seconds())
	s.clear()
}

// A kubelet renews its Node's lease though containerd answers nothing, and then the old process
// is not killed: the new pod's being Ready says nothing of it. What a run would make of that is
// printed here, and not asserted.
func containerdFrozen(s *stage) {
	s.c.Stays = true // so that the old process has a second more
	s.static()
	s.StopKubelet()
	s.edit()
	s.must(s.StartKubelet())
	b := s.next(s.a)
	s.must(s.NewPod(s.Context(), s.c))
	begin := time.Now()
	s.SignalContainerd(syscall.SIGSTOP)
	alone := s.alone(b)
	s.pass(10 * time.Second)
	node := s.NodeShown(begin)
	s.SignalContainerd(syscall.SIGCONT)
	thawed := time.Now()
	s.a = s.ended(s.a)
	s.unproven(s.a)
	if shown, is := s.story().ReplacedIn(b.Container); !is || shown.After(s.a.Ended) {
		s.Error("the new pod was not Ready before the old process had ended; that it may be was not seen")
	}
	since := func(at time.Time) float64 { return at.Sub(s.a.Ended).Seconds() }
	s.row(begin, s.a.Ended, "manifest edited while kubelet restarts, containerd under SIGSTOP from %.1f s to %.1f s; Node's Ready meanwhile: %s; a run would go on at %.1f s",
		since(begin), since(thawed), node, since(alone))
	s.must(s.NodeReady(s.Context()))
	s.clear()
}

func removedStatic(s *stage) { s.static(); removed(s) }
func removedBare(s *stage)   { s.bare(); removed(s) }

// removed has a container end and its record go while no kubelet looks.
func removed(s *stage) {
	s.StopKubelet()
	s.kill(s.a, syscall.SIGKILL)
	s.a = s.ended(s.a)
	s.must(s.RemoveContainer(s.Context(), s.a))
	begin := time.Now()
	s.must(s.StartKubelet())
	s.ready(s.next(s.a))
	s.unproven(s.a)
	s.row(s.a.Ended, begin, "container ended and removed while no kubelet runs (seconds from the kubelet's start)")
	s.clear()
}

func forgottenStatic(s *stage) { s.static(); forgotten(s) }

// The kubelet invents an end of what runs: only the missing ID and the reason tell.
func forgottenBare(s *stage) {
	s.bare()
	forgotten(s)
	at, shown := s.story().Invented()
	switch {
	case !shown:
		s.Error("no invented state was shown")
	case !s.a.RanAt(at):
		s.Error("the invented state came after the end; that it may come before was not seen")
	}
}

// forgotten has containerd lose all that it knew, while the container's process runs on.
func forgotten(s *stage) {
	s.StopKubelet()
	s.must(s.ForgetContainers(s.Context()))
	begin := time.Now()
	s.must(s.StartKubelet())
	b := s.next(s.a)
	s.ready(b)
	s.pass(10 * time.Second)
	s.unproven(s.a)
	s.sideBySide()
	s.row(begin, begin, "containerd forgot the container, which runs (seconds from the kubelet's start)")
	s.kill(s.a, syscall.SIGKILL)
	s.a = s.ended(s.a)
	s.clear()
}
