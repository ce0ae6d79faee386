package node

import (
	"context"
	"fmt"
	"os"
	"syscall"
)

// signalKubelet signals the kubelet. A frozen kubelet renews, shows, probes and starts nothing,
// and its containers run on (kubernetes/kubernetes:pkg/kubelet/kubelet.go@v1.26.13: all of
// these are loops of the kubelet). Other signals end it, and RKE2 starts another one.
func (a *Agent) signalKubelet(s *session, sig os.Signal) {
	switch sig {
	case syscall.SIGSTOP:
		a.logf("kubelet: frozen")
		a.kubeletRuns.shut()
	case syscall.SIGCONT:
		a.logf("kubelet: goes on")
		a.kubeletRuns.open()
	default:
		s.rke2.restartKubelet()
	}
}

// The ways in which a replaced container may end.
const (
	ContainersEnd     = "end"
	ContainersOutlive = "outlive"
)

// SetContainers selects whether replaced static pods end, as they should, or run on next to
// their successors until "end" is selected. The latter happens if a kubelet restarts together
// with the manifest and its container runtime answers late: the new pod is Ready, since both
// bind the port, and no API shows the old process (`make real-kubelet`).
func (a *Agent) SetContainers(how string) error {
	switch how {
	case ContainersEnd:
		a.replacedEnd.open()
	case ContainersOutlive:
		a.replacedEnd.shut()
	default:
		return fmt.Errorf("%q is neither %s nor %s", how, ContainersEnd, ContainersOutlive)
	}
	return nil
}

// Thaw reverts SetContainers and thaws the kubelet.
func (a *Agent) Thaw() {
	a.kubeletRuns.open()
	a.replacedEnd.open()
}

// end ends a replaced static pod, or lets it run until replaced ones end. Such a process is not
// restarted when it ends, because the kubelet does not know it.
func (s *staticPods) end(old *staticPod) {
	if !s.a.replacedEnd.isShut() {
		old.stop()
		return
	}
	s.a.logf("%s: outlives its pod, manifest %s", old.manifest.Name, old.manifest.UID)
	old.task.left.Store(true)
	go func() {
		s.a.replacedEnd.pass(s.ctx)
		old.stop()
	}()
}

// thawed waits until the kubelet runs, if it can be frozen.
func (t *task) thawed(ctx context.Context) bool {
	return t.kubelet == nil || t.kubelet.pass(ctx)
}
