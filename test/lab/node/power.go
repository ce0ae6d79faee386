package node

import (
	"context"
	"fmt"
	"os"
	"time"
)

// Shutdown stops the machine as `shutdown` does: processes get SIGTERM first. The Node stays
// and becomes NotReady. It returns at once.
func (a *Agent) Shutdown() { a.setPower(false, true) }

// PowerOff stops the machine like a power cut: every process gets SIGKILL.
func (a *Agent) PowerOff() { a.setPower(false, false) }

// PowerOn boots a machine that is off, with the contents of its disk.
func (a *Agent) PowerOn() { a.setPower(true, true) }

// Reboot shuts the machine down and boots it again after down.
func (a *Agent) Reboot(ctx context.Context, down time.Duration) error {
	a.Shutdown()
	if !wait(ctx, a.c.Clock, down) {
		return ctx.Err()
	}
	a.PowerOn()
	return nil
}

func (a *Agent) setPower(on, graceful bool) {
	a.mu.Lock()
	a.on = on
	s := a.session
	a.mu.Unlock()
	if !on && s != nil {
		a.logf("power off (graceful %t)", graceful)
		if !graceful {
			s.killAll()
		}
		s.cancel()
	}
	nudge(a.power)
}

// afterPower delays the restart of killed processes beyond the end of the session a moment
// later.
const afterPower = time.Hour

// killAll ends every process at once.
func (s *session) killAll() {
	for _, pod := range s.static.list() {
		_, _ = pod.task.signal(os.Kill, afterPower) // an error means that it has exited
	}
	if s.docker != nil {
		s.docker.killAll()
	}
	s.pods.killAll()
}

// Kill sends SIGKILL to a component (kube-apiserver, kube-controller-manager, kube-scheduler,
// kubelet) or to the processes of a pod, given by its name. A component stays away for its
// configured downtime.
func (a *Agent) Kill(what string) error { return a.Signal(what, os.Kill) }

// Signal is Kill with another signal, e.g. SIGSTOP to freeze a holder.
func (a *Agent) Signal(what string, sig os.Signal) error {
	a.mu.Lock()
	s := a.session
	a.mu.Unlock()
	if s == nil {
		return fmt.Errorf("signalling %s on machine %s: %w", what, a.c.Name, errPoweredOff)
	}
	if what == Kubelet && s.rke2 != nil {
		a.signalKubelet(s, sig)
		return nil
	}
	found := false
	var err error
	if pod := s.static.get(what); pod != nil {
		found, err = pod.task.signal(sig, a.down(what))
	} else if s.docker != nil {
		found, err = s.docker.signal(what, sig, a.down(what))
	}
	if !found && err == nil {
		found, err = s.pods.signal(what, sig)
	}
	if err != nil {
		return fmt.Errorf("signalling %s on machine %s: %w", what, a.c.Name, err)
	}
	if !found {
		return fmt.Errorf("signalling %s on machine %s: nothing of that name runs there", what, a.c.Name)
	}
	return nil
}

// FailPlans makes every plan fail with that text from now on; an empty reason ends this.
func (a *Agent) FailPlans(reason string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failPlans = reason
}
