//go:build realkubelet

package realkubelet_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
	"github.com/awsmigrate/awsmigrate/test/realkubelet"
)

// Each scenario has an expectation that can fail; durations are only printed.
func TestRealKubelet(t *testing.T) {
	var rows []realkubelet.Row
	machine := realkubelet.New(t)
	for i, scenario := range []struct {
		name string
		do   func(*stage)
	}{
		{"killed", killContainer},
		{"terminated twice", terminateTwice},
		{"manifest edited", editManifest},
		{"manifest edited while kubelet restarts", editWhileKubeletRestarts},
		{"the same with the API server away", editWhileAPIServerIsAway},
		{"the same with the API server away for long", editWhileAPIServerIsLongAway},
		{"pod deleted", deletePod},
		{"pod deleted by force", deletePodByForce},
		{"frozen", freeze},
		{"frozen with a liveness probe", freezeWithProbe},
		{"killed while frozen", killWhileFrozen},
		{"kubelet frozen while its container ends", freezeKubelet},
		{"manifest edited while kubelet is frozen", editWhileKubeletIsFrozen},
		{"shim killed", killShim},
		{"containerd frozen next to an old process", freezeContainerd},
		{"container of a static pod removed", removeStatic},
		{"container of a pod removed", removeBare},
		{"containerd forgets a static pod that runs", forgetStatic},
		{"containerd forgets a pod that runs", forgetBare},
	} {
		t.Run(scenario.name, func(t *testing.T) {
			scenario.do(&stage{T: t, Machine: machine, rows: &rows, c: realkubelet.Component{
				Name: fmt.Sprintf("component-%d", i+1), Program: wellknown.KCM, Provider: "aws", Grace: 5}})
		})
	}
	fmt.Println("\nSeconds from the end of container A, unless a row says otherwise:\n\n" + realkubelet.Table(rows))
}

// A container that ends in place is shown terminated with its ID.
func killContainer(s *stage) {
	s.startStatic()
	s.kill(s.a, syscall.SIGKILL)
	s.a = s.awaitEnd(s.a)
	s.requireReady(s.awaitNext(s.a))
	s.requireEndShown(s.a)
	s.row(s.a.Ended, s.a.Ended, "container killed")
	s.clear()
}

// The second end within ten minutes is shown like the first, but the next start is late.
func terminateTwice(s *stage) {
	s.startStatic()
	s.kill(s.a, syscall.SIGTERM)
	first := s.awaitEnd(s.a)
	s.a = s.awaitNext(first)
	s.requireReady(s.a)
	s.kill(s.a, syscall.SIGTERM)
	s.a = s.awaitEnd(s.a)
	third := s.awaitNext(first, s.a)
	s.requireReady(third)
	s.requireEndShown(first)
	s.requireEndShown(s.a)
	if pause := third.Seen.Sub(s.a.Ended); pause < 8*time.Second {
		s.Errorf("started again %s after the second end: without a back-off", pause)
	}
	s.row(s.a.Ended, s.a.Ended, "ended by SIGTERM, the second time within ten minutes (B is meant)")
	s.clear()
}

// A running kubelet ends the old process first, and does not show its end.
func editManifest(s *stage) {
	s.startStatic()
	begin := time.Now()
	s.edit()
	s.a = s.awaitEnd(s.a)
	s.requireReady(s.awaitNext(s.a))
	s.requireEndNotShown(s.a)
	if side := s.story().SideBySide(); side > 0 {
		s.Errorf("a running kubelet ran two processes for %s", side)
	}
	s.row(begin, s.a.Ended, "manifest edited, kubelet running (%.1f s before the end)", s.a.Ended.Sub(begin).Seconds())
	s.clear()
}

// As on RKE2, the restarted kubelet does not know the old pod, and starts the new one next to it.
func editWhileKubeletRestarts(s *stage) {
	s.c.Stays = true
	s.startStatic()
	s.StopKubelet()
	begin := time.Now()
	s.edit()
	s.must(s.StartKubelet())
	b := s.awaitNext(s.a)
	alone := s.awaitAlone(b)
	s.a = s.awaitEnd(s.a)
	s.requireGone(alone)
	s.requireEndNotShown(s.a)
	s.requireSideBySide()
	s.row(begin, s.a.Ended, "manifest edited while kubelet restarts (edit at %.1f s); a run would go on at %.1f s", begin.Sub(s.a.Ended).Seconds(), alone.Sub(s.a.Ended).Seconds())
	s.clear()
}

func (s *stage) requireSideBySide() {
	s.Helper()
	if s.story().SideBySide() == 0 {
		s.Error("the old and the new process never ran side by side; the case did not occur")
	}
}

// awaitAlone returns the time at which a run would conclude that no earlier process runs.
func (s *stage) awaitAlone(b realkubelet.Process) time.Time {
	s.Helper()
	s.must(s.Replaced(s.Context(), s.c, b.Container))
	at, err := s.Alone(s.Context(), b.Seen.Truncate(time.Second))
	s.must(err)
	return at
}

// requireGone requires the old process to be gone when a run would conclude so.
func (s *stage) requireGone(alone time.Time) {
	s.Helper()
	if s.a.RanAt(alone) {
		s.Errorf("a run would have gone on %s before process %d ended", s.a.Ended.Sub(alone), s.a.PID)
	}
}

// Both run while the API server is away, and until the kubelet tries it again.
func editWhileAPIServerIsAway(s *stage) { s.editWhileAway(25 * time.Second) }

// A kubelet tries a missing API server less and less often, down to once a minute.
func editWhileAPIServerIsLongAway(s *stage) { s.editWhileAway(100 * time.Second) }

func (s *stage) editWhileAway(away time.Duration) {
	s.startStatic()
	s.StopKubelet()
	s.Server.Stop()
	begin := time.Now()
	s.edit()
	s.must(s.StartKubelet())
	b := s.awaitNext(s.a)
	s.pass(away - time.Since(begin))
	if side := s.story().SideBySide(); side < away/2 {
		s.Errorf("side by side for %s of %s", side, away)
	}
	s.Server.Restart(s.T)
	back := time.Now()
	renewed := s.awaitRenewals(b)
	alone := s.awaitAlone(b)
	s.a = s.awaitEnd(s.a)
	s.requireGone(alone)
	s.requireEndNotShown(s.a)
	since := func(at time.Time) float64 { return at.Sub(s.a.Ended).Seconds() }
	s.row(begin, s.a.Ended, "the same, API server away from the edit on, back at %.1f s after %.0f s; startTime of the new pod %.1f s; Node's lease renewed twice at %.1f s; a run would go on at %.1f s",
		since(back), back.Sub(begin).Seconds(), since(s.story().StartOf()), since(<-renewed), since(alone))
	s.clear()
}

// awaitRenewals returns the time at which the Node's lease alone would show that no earlier process
// runs, whether or not the new pod is shown.
func (s *stage) awaitRenewals(b realkubelet.Process) <-chan time.Time {
	at := make(chan time.Time, 1)
	go func() {
		defer close(at)
		renewed, err := s.Alone(s.Context(), b.Seen.Truncate(time.Second))
		if err != nil {
			s.Error(err)
			return
		}
		at <- renewed
	}()
	return at
}

// A deleted pod shows its end before its object disappears.
func deletePod(s *stage) {
	s.startBare()
	begin := time.Now()
	s.must(s.Delete(s.Context(), s.c.Name, false))
	s.a = s.awaitEnd(s.a)
	s.clear()
	s.requireEndShown(s.a)
	s.row(begin, s.a.Ended, "pod deleted (%.1f s before the end)", s.a.Ended.Sub(begin).Seconds())
}

// With force, the object disappears before the process.
func deletePodByForce(s *stage) {
	s.c.Stays = true
	s.startBare()
	begin := time.Now()
	s.must(s.Delete(s.Context(), s.c.Name, true))
	s.a = s.awaitEnd(s.a)
	s.requireEndNotShown(s.a)
	entries := s.story().Entries
	if last := entries[len(entries)-1]; !last.Pod.Gone || last.At.After(s.a.Ended) {
		s.Errorf("the object did not go before the process")
	}
	s.row(begin, s.a.Ended, "pod deleted by force (%.1f s before the end)", s.a.Ended.Sub(begin).Seconds())
	s.clear()
}
