package rke2

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

func kcmFor(machine string, ready bool, restarts int32, message string, args ...string) migration.KCM {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Args: args}}}}
	pod.Name = "kube-controller-manager-" + machine
	status := corev1.ContainerStatus{Ready: ready, RestartCount: restarts}
	condition := corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue}
	if !ready {
		condition.Status = corev1.ConditionFalse
		status.State.Waiting = &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}
		status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 1, Message: message}
	}
	pod.Status = corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{status}, Conditions: []corev1.PodCondition{condition}}
	return migration.KCM{Member: machine, Kind: "Machine", Node: machine, Known: true, Ready: ready, Pod: pod}
}

func TestCrashOf(t *testing.T) {
	sound := kcmFor("b", true, 0, "", "--profiling=false", "--kubeconfig=/var/lib/rancher/x")
	bad := []string{"--profiling=false", "--kubeconfig=/var/lib/rancher/y", "--bogus=1"}
	for name, c := range map[string]struct {
		kcms []migration.KCM
		seen string // empty: nothing is wrong
	}{
		"all run":                   {kcms: []migration.KCM{sound}},
		"no pod":                    {kcms: []migration.KCM{{Node: "c"}, sound}},
		"a start that raced":        {kcms: []migration.KCM{kcmFor("a", false, crashLimit-1, "boom", bad...), sound}},
		"its own words":             {kcms: []migration.KCM{sound, kcmFor("a", false, crashLimit, "I am\nunknown flag: --bogus\n", bad...)}, seen: "exits with code 1, 3 restarts: unknown flag: --bogus"},
		"RKE2 keeps no words":       {kcms: []migration.KCM{kcmFor("a", false, 5, "", bad...), sound}, seen: "exits with code 1, 5 restarts; arguments that no running one has: --bogus=1"},
		"none runs to compare with": {kcms: []migration.KCM{kcmFor("a", false, 5, "", bad...)}, seen: "exits with code 1, 5 restarts"},
		"nothing sets it apart":     {kcms: []migration.KCM{kcmFor("a", false, 5, "", "--profiling=false"), sound}, seen: "exits with code 1, 5 restarts"},
	} {
		t.Run(name, func(t *testing.T) {
			f, ok := fault.As(crashOf(c.kcms))
			switch {
			case ok != (c.seen != ""):
				t.Fatalf("fault %v", f)
			case !ok:
				return
			}
			if f.Seen != c.seen || f.Object != "kube-controller-manager of Machine a" {
				t.Errorf("%s: %q, wanted %q", f.Object, f.Seen, c.seen)
			}
			if !strings.Contains(f.Fix, "logs kube-controller-manager-a --previous") {
				t.Errorf("fix %q", f.Fix)
			}
		})
	}
}
