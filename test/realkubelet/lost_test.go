//go:build realkubelet

package realkubelet_test

import (
	"syscall"
	"time"

	"github.com/awsmigrate/awsmigrate/test/realkubelet"
)

// containerd ends the shim's processes before it reports their end.
func killShim(s *stage) {
	s.startStatic()
	shim, err := realkubelet.Shim(s.a)
	s.must(err)
	begin := time.Now()
	s.must(realkubelet.Kill(shim, syscall.SIGKILL))
	s.a = s.awaitEnd(s.a)
	s.requireReady(s.awaitNext(s.a))
	s.row(begin, s.a.Ended, "shim of the container killed (%.1f s before the end)", s.a.Ended.Sub(begin).Seconds())
	s.clear()
}

// A kubelet renews its Node's lease even if containerd answers nothing. The old process then
// survives, so a Ready new pod proves nothing about it. The conclusion of a run is printed here,
// not asserted.
func freezeContainerd(s *stage) {
	s.c.Stays = true // gives the old process one more second
	s.startStatic()
	s.StopKubelet()
	s.edit()
	s.must(s.StartKubelet())
	b := s.awaitNext(s.a)
	s.must(s.NewPod(s.Context(), s.c))
	begin := time.Now()
	s.SignalContainerd(syscall.SIGSTOP)
	alone := s.awaitAlone(b)
	s.pass(10 * time.Second)
	node := s.NodeShown(begin)
	s.SignalContainerd(syscall.SIGCONT)
	thawed := time.Now()
	s.a = s.awaitEnd(s.a)
	s.requireEndNotShown(s.a)
	if shown, is := s.story().ReplacedIn(b.Container); !is || shown.After(s.a.Ended) {
		s.Error("the new pod was never Ready before the old process ended; the case did not occur")
	}
	since := func(at time.Time) float64 { return at.Sub(s.a.Ended).Seconds() }
	s.row(begin, s.a.Ended, "manifest edited while kubelet restarts, containerd under SIGSTOP from %.1f s to %.1f s; Node's Ready meanwhile: %s; a run would go on at %.1f s",
		since(begin), since(thawed), node, since(alone))
	s.must(s.NodeReady(s.Context()))
	s.clear()
}

func removeStatic(s *stage) { s.startStatic(); removeContainer(s) }
func removeBare(s *stage)   { s.startBare(); removeContainer(s) }

// removeContainer ends a container and removes its record while no kubelet runs.
func removeContainer(s *stage) {
	s.StopKubelet()
	s.kill(s.a, syscall.SIGKILL)
	s.a = s.awaitEnd(s.a)
	s.must(s.RemoveContainer(s.Context(), s.a))
	begin := time.Now()
	s.must(s.StartKubelet())
	s.requireReady(s.awaitNext(s.a))
	s.requireEndNotShown(s.a)
	s.row(s.a.Ended, begin, "container ended and removed while no kubelet runs (seconds from the kubelet's start)")
	s.clear()
}

func forgetStatic(s *stage) { s.startStatic(); forgetContainer(s) }

// The kubelet invents an end of a running container: only the missing ID and the reason
// distinguish it.
func forgetBare(s *stage) {
	s.startBare()
	forgetContainer(s)
	at, shown := s.story().Invented()
	switch {
	case !shown:
		s.Error("the API showed no invented state")
	case !s.a.RanAt(at):
		s.Error("the invented state came after the end; the case did not occur")
	}
}

// forgetContainer makes containerd lose all its records while the container's process keeps
// running.
func forgetContainer(s *stage) {
	s.StopKubelet()
	s.must(s.ForgetContainers(s.Context()))
	begin := time.Now()
	s.must(s.StartKubelet())
	b := s.awaitNext(s.a)
	s.requireReady(b)
	s.pass(10 * time.Second)
	s.requireEndNotShown(s.a)
	s.requireSideBySide()
	s.row(begin, begin, "containerd forgot the container, which runs (seconds from the kubelet's start)")
	s.kill(s.a, syscall.SIGKILL)
	s.a = s.awaitEnd(s.a)
	s.clear()
}
