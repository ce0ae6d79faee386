//go:build slow

package e2e

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestJob migrates a cluster by Jobs as `awsmigrate job` prints them, under the real Job
// controller and with only the rights of their roles. A Job whose preflight fails is Failed at
// once. One is suspended during a rollout and still Completes at its last step. One is killed
// during a rollout, and its next pod finishes the migration.
func TestJob(t *testing.T) {
	bin, err := filepath.Abs("../../bin")
	must(t, err)
	lab := boot(t, append(scenario.JobFlags(bin), "--lease", quick, "--api-restart", "5s", "--workers", "1")...)
	ctx, start := within(t, 25*time.Minute), time.Now()
	before, err := lab.Identities(ctx)
	must(t, err)
	for _, part := range []struct {
		name string
		run  func(context.Context, *testing.T, *scenario.Lab)
	}{
		{"a preflight that fails", jobFailsAtOnce},
		{"a pause in the middle of a roll", jobPaused},
		{"a pod is killed in the middle of a roll", jobKilled},
	} {
		began := time.Now()
		if !t.Run(part.name, func(t *testing.T) { part.run(ctx, t, lab) }) {
			t.FailNow() // the next part begins at the end of this one
		}
		t.Logf("%s: %.0f s", part.name, time.Since(began).Seconds())
	}
	judgeEnd(ctx, t, lab, before, start)
	if runs := keptAsObserved(ctx, t, lab); len(runs) < 2 { // three ended on their own and changed something
		t.Errorf("the journal has records of %v", runs)
	}
	pause := scenario.Right{Verb: "patch", Group: "rke.cattle.io", Resource: "rkecontrolplanes", Namespace: "fleet-default", Name: "demo"}
	beacon := scenario.Right{Verb: "get", Group: "plan.cattle.io", Resource: "beacons", Namespace: "fleet-default", Name: "demo"} // of Rancher 2.15 and later
	rightsAreThoseUsed(ctx, t, lab, "system:serviceaccount:fleet-default:awsmigrate-demo", pause, beacon)
}

// jobFailsAtOnce checks that a failure which no retry resolves is not retried.
func jobFailsAtOnce(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	job, err := lab.ApplyJob(ctx, "--", "--edits", "apply", "--end-state", "external")
	must(t, err)
	ended, condition, err := job.Ended(ctx)
	must(t, err)
	pods := jobPods(ctx, t, job)
	if condition.Type != batchv1.JobFailed || condition.Reason != "PodFailurePolicy" || ended.Status.Failed != 1 || len(pods) != 1 {
		t.Errorf("%s %s, %d failed, %d pods; wanted one failed pod: %s", condition.Type, condition.Reason, ended.Status.Failed, len(pods), condition.Message)
	}
	if code, out := exitOf(pods[0]), job.Output(pods[0].Name); code != 3 || !strings.Contains(out, "not registered with an explicit node-name") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	must(t, job.Delete(ctx))
}

// jobPaused suspends a Job whose run watches a rollout. The run ends cleanly, and continues to
// its last step when the Job is resumed.
func jobPaused(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	job, err := lab.ApplyJob(ctx, "--", "--edits", "apply", "--until", "cordon")
	must(t, err)
	first := jobIn(ctx, t, job, "enable-leader-migration")
	must(t, job.Suspend(ctx, true))
	must(t, scenario.Until(ctx, "the pod to be gone", func(ctx context.Context) (bool, string, error) {
		pods, err := job.Pods(ctx)
		return len(pods) == 0, "it ends", err
	}))
	if out := job.Output(first); !strings.Contains(out, `"code":130`) {
		t.Errorf("not ended by the first signal:\n%s", out)
	}
	holder, err := lab.KubectlManagement(ctx, "", "-n", job.Namespace, "get", "lease", job.Name, "-o", "jsonpath={.spec.holderIdentity}")
	if err != nil || holder != "" {
		t.Errorf("the lock is held by %q, %v", holder, err)
	}
	must(t, job.Suspend(ctx, false))
	complete(ctx, t, job, 0, 1) // 1 if the Job controller sees the deletion before the end
	must(t, job.Delete(ctx))
}

// jobKilled applies a saved plan. The pod after the killed one continues it.
func jobKilled(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	code, plan, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, "rke2", "plan", "--cluster", "demo", "-o", "json")
	if err != nil || code != 0 {
		t.Fatalf("plan: exit %d, %v\n%s", code, err, stderr)
	}
	file := filepath.Join(t.TempDir(), "plan.json")
	must(t, os.WriteFile(file, []byte(plan), 0o600))
	t.Logf("a plan of %d bytes", len(plan))
	job, err := lab.ApplyJob(ctx, "--plan", file, "--", "--edits", "apply")
	must(t, err)
	must(t, job.Kill(ctx, jobIn(ctx, t, job, "switch-provider")))
	complete(ctx, t, job, 1)
	if pods := jobPods(ctx, t, job); exitOf(pods[0]) != 137 {
		t.Errorf("the killed pod ended with %d", exitOf(pods[0]))
	}
}

// jobIn waits until the Job's first run waits in a step for a change that it has made, and
// returns its pod.
func jobIn(ctx context.Context, t *testing.T, job *scenario.Job, step string) (pod string) {
	t.Helper()
	must(t, scenario.Until(ctx, "the run to wait in "+step, func(ctx context.Context) (bool, string, error) {
		pods, err := job.Pods(ctx)
		if err != nil || len(pods) == 0 {
			return false, "no pod", err
		}
		pod = pods[0].Name
		if pods[0].Status.Phase == corev1.PodFailed {
			t.Fatalf("it ended:\n%s", job.Output(pod))
		}
		return waitsIn(job.Output(pod), step), "pod " + pod + " runs", nil
	}))
	return pod
}

// waitsIn reports whether an event shows that a step waits.
func waitsIn(output, step string) bool {
	for _, line := range strings.Split(output, "\n") {
		if strings.Contains(line, `"step":"`+step+`"`) && strings.Contains(line, `"step-waiting"`) {
			return true
		}
	}
	return false
}

// complete waits until the Job is complete after one of these numbers of failed attempts.
func complete(ctx context.Context, t *testing.T, job *scenario.Job, failed ...int32) {
	t.Helper()
	ended, condition, err := job.Ended(ctx)
	must(t, err)
	if condition.Type != batchv1.JobComplete || !slices.Contains(failed, ended.Status.Failed) {
		for _, pod := range jobPods(ctx, t, job) {
			t.Logf("pod %s, exit %d:\n%s", pod.Name, exitOf(pod), job.Output(pod.Name))
		}
		t.Fatalf("%s %s, %d failed: %s", condition.Type, condition.Reason, ended.Status.Failed, condition.Message)
	}
}

func jobPods(ctx context.Context, t *testing.T, job *scenario.Job) []corev1.Pod {
	t.Helper()
	pods, err := job.Pods(ctx)
	must(t, err)
	if len(pods) == 0 {
		t.Fatal("the Job has no pods")
	}
	return pods
}

func exitOf(pod corev1.Pod) int {
	for _, c := range pod.Status.ContainerStatuses {
		if c.State.Terminated != nil {
			return int(c.State.Terminated.ExitCode)
		}
	}
	return -1
}

// rightsAreThoseUsed compares every rule of the printed roles with the runs' requests to the
// API server. No request was refused but those for machine templates, and every right was used
// except idle, which a successful migration does not need.
func rightsAreThoseUsed(ctx context.Context, t *testing.T, lab *scenario.Lab, account string, idle ...scenario.Right) {
	granted, err := lab.Granted(ctx)
	must(t, err)
	requests, err := lab.Requests(account)
	must(t, err)
	used := requests.Used
	for _, right := range requests.Missed() {
		t.Errorf("refused: %s", right)
	}
	for _, right := range granted {
		if !slices.Contains(idle, right) && !slices.Contains(used, right) {
			t.Errorf("granted and never used: %s", right)
		}
	}
	for _, right := range used {
		if !slices.Contains(granted, right) {
			t.Errorf("used, and granted by none of these roles: %s", right)
		}
	}
	t.Logf("%d rights granted, %d used", len(granted), len(used))
}
