package job

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// killed is the exit code of a process that SIGKILL ended, as by a machine without
// memory. It is no ending of ours.
const killed int32 = 137

// policy maps exit codes to what the Job does. The rules are tried in order; a pod that
// was evicted is no failed try, whatever its code. What matches none is counted.
func (e Exits) policy() *batchv1.PodFailurePolicy {
	name := containerName
	codes := func(action batchv1.PodFailurePolicyAction, codes []int32) batchv1.PodFailurePolicyRule {
		return batchv1.PodFailurePolicyRule{Action: action, OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
			ContainerName: &name, Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: codes}}
	}
	return &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{
		{Action: batchv1.PodFailurePolicyActionIgnore, OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
			{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}}},
		codes(batchv1.PodFailurePolicyActionFailJob, e.Final),
		codes(batchv1.PodFailurePolicyActionCount, with(e.Again, killed)),
	}}
}

// with puts a code where the order, which Kubernetes asks for, wants it.
func with(codes []int32, code int32) []int32 {
	var out []int32
	for i, c := range codes {
		if c > code {
			return append(append(out, code), codes[i:]...)
		}
		out = append(out, c)
	}
	return append(out, code)
}

// The Job controller's pauses (kubernetes/kubernetes:pkg/controller/job/job_controller.go@v1.26.13,
// DefaultJobBackOff, MaxJobBackOff, getBackoff). Later releases pause as long or longer.
const (
	firstPause   = 10 * time.Second
	longestPause = 360 * time.Second
)

// pause is the least time between the moments at which the controller counts failure n,
// from 1, and the next one. It begins a pause with the failure that it counts, and
// another with the end of the next pod, and takes whichever is over first: a run's own
// time may pass within it.
func pause(n int) time.Duration {
	pause := firstPause
	for range n - 1 {
		if pause *= 2; pause >= longestPause {
			return longestPause
		}
	}
	return pause
}

// failures is how many the controller may have counted when that time is over.
func failures(within time.Duration) int {
	at, n := time.Duration(0), 1
	for at += pause(n); at <= within; at += pause(n) {
		n++
	}
	return n
}

// BackoffLimit is how many failures are counted in that time at most, so that a Job
// with this limit is not given up before it is over. The controller forgets its pauses
// when it restarts; the limit allows for that once, at the worst moment.
func BackoffLimit(outlast time.Duration) int32 {
	limit, at := 0, time.Duration(0)
	for n := 1; at <= outlast; n++ {
		limit = max(limit, n+failures(outlast-at))
		at += pause(n)
	}
	return int32(limit)
}
