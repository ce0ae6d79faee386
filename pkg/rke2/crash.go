package rke2

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// crashLimit is how many restarts of a component in one manifest are a fault
// and not a start that raced something else.
const crashLimit = 3

// crashed names a control plane whose kube-controller-manager cannot start with
// its arguments: the roll stands still there by itself, since Rancher's probes
// block the tier, and waiting does not mend it.
func (p *Procedure) crashed() error { return crashOf(p.Reading.KCMs) }

func crashOf(kcms []migration.KCM) error {
	for _, k := range kcms {
		if k.Pod == nil {
			continue
		}
		for _, status := range k.Pod.Status.ContainerStatuses {
			if status.Ready || status.RestartCount < crashLimit || status.LastTerminationState.Terminated == nil || !backingOff(status) {
				continue
			}
			last := status.LastTerminationState.Terminated
			return &fault.Error{Class: fault.Check, Reason: "ComponentCrashes", Object: k.Name(),
				Seen:   fmt.Sprintf("exits with code %d, %d restarts%s", last.ExitCode, status.RestartCount, why(k, kcms, last.Message)),
				Wanted: "a component that starts with its arguments: " + strings.Join(userArgs(k), " "),
				Fix: "read why: kubectl -n " + "kube-system" + " logs " + k.Pod.Name + " --previous; correct the argument in Rancher's Cluster object; " +
					"to go back remove enable-leader-migration there too, and leave the rest as it is"}
		}
	}
	return nil
}

// why is what the component said at its end. RKE2's static pods keep no such
// message (rancher/rke2:pkg/staticpod/staticpod.go); then it is what sets the
// component apart from those that run.
func why(k migration.KCM, all []migration.KCM, message string) string {
	if said := lastLine(message); said != "" {
		return ": " + said
	}
	running := map[string]bool{}
	for _, other := range all {
		if other.Ready {
			for _, arg := range userArgs(other) {
				running[arg] = true
			}
		}
	}
	var own []string
	for _, arg := range userArgs(k) {
		if !running[arg] {
			own = append(own, arg)
		}
	}
	if len(running) == 0 || len(own) == 0 {
		return ""
	}
	return "; arguments that no running one has: " + strings.Join(own, " ")
}

func backingOff(status corev1.ContainerStatus) bool {
	return status.State.Waiting != nil || status.State.Terminated != nil
}

// userArgs are the arguments that are not file paths of RKE2's own.
func userArgs(k migration.KCM) []string {
	var args []string
	for _, arg := range k.Pod.Spec.Containers[0].Args {
		if !strings.Contains(arg, "=/var/lib/rancher/") {
			args = append(args, arg)
		}
	}
	return args
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
