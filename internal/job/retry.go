package job

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// exitKilled is the exit code of a process that SIGKILL ended, for example because the machine ran
// out of memory. awsmigrate itself never returns it.
const exitKilled int32 = 137

// policy maps exit codes to actions of the Job. The first matching rule applies. An evicted pod
// is not a failed attempt, regardless of its code. A failure that matches no rule is counted.
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
		codes(batchv1.PodFailurePolicyActionCount, insertSorted(e.Again, exitKilled)),
	}}
}

// insertSorted inserts a code in ascending order, as Kubernetes requires.
func insertSorted(codes []int32, code int32) []int32 {
	var out []int32
	for i, c := range codes {
		if c > code {
			return append(append(out, code), codes[i:]...)
		}
		out = append(out, c)
	}
	return append(out, code)
}

// Pauses of the Job controller
// (kubernetes/kubernetes:pkg/controller/job/job_controller.go@v1.26.13, DefaultJobBackOff,
// MaxJobBackOff, getBackoff). Later releases pause at least as long.
const (
	firstPause   = 10 * time.Second
	longestPause = 360 * time.Second
)

// pause returns the minimum time between counting failure n, from 1, and the next one. The
// controller starts one pause when it counts the failure and another when the next pod ends, and
// takes the shorter one. A pause may include the run's own time.
func pause(n int) time.Duration {
	pause := firstPause
	for range n - 1 {
		if pause *= 2; pause >= longestPause {
			return longestPause
		}
	}
	return pause
}

// failures returns the maximum number of failures that the controller counts within a time.
func failures(within time.Duration) int {
	at, n := time.Duration(0), 1
	for at += pause(n); at <= within; at += pause(n) {
		n++
	}
	return n
}

// BackoffLimit returns the maximum number of failures within a time. A Job with this limit does
// not give up earlier. The controller forgets its pauses when it restarts, so the limit includes
// one restart at the worst time.
func BackoffLimit(outlast time.Duration) int32 {
	limit, at := 0, time.Duration(0)
	for n := 1; at <= outlast; n++ {
		limit = max(limit, n+failures(outlast-at))
		at += pause(n)
	}
	return int32(limit)
}
