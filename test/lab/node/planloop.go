package node

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// restartStampFile is the file in which rke2's installer keeps the last stamp.
const restartStampFile = dataDir + "/restart_stamp"

// planState holds the memory of the system agent between polls.
type planState struct {
	probes  map[string]planProbe
	status  map[string]probeStatus
	fresh   bool      // applied and not probed yet
	probeAt time.Time // not before
	retryAt time.Time
}

// planLoop is rancher-system-agent: it applies plans and updates probe statuses.
func (a *Agent) planLoop(ctx context.Context, s *session) {
	s.planner.status = map[string]probeStatus{}
	for ok := true; ok; ok = wait(ctx, a.c.Clock, a.c.Timing.PlanPoll) {
		if err := a.pollPlan(ctx, s); err != nil && ctx.Err() == nil {
			a.logf("system agent: %v", err)
		}
	}
}

func (a *Agent) planSecret() string { return a.c.Name + "-machine-plan" }

func (a *Agent) pollPlan(ctx context.Context, s *session) error {
	secret, err := a.mgmt.CoreV1().Secrets(a.c.PlanNamespace).Get(ctx, a.planSecret(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading Secret %s/%s: %w", a.c.PlanNamespace, a.planSecret(), err)
	}
	raw := secret.Data[keyPlan]
	if len(raw) == 0 {
		return nil
	}
	sum := planChecksum(raw)
	changes := map[string][]byte{}
	if sum == string(secret.Data[keyAppliedChecksum]) {
		if p, _, err := parsePlan(raw); err == nil {
			s.planner.probes = p.Probes
		}
	} else if a.due(secret, sum, s) {
		changes = a.applyPlan(s, secret, raw, sum)
	}
	if s.planner.fresh || !a.c.Clock.Now().Before(s.planner.probeAt) {
		if statuses := a.probe(ctx, s); !bytes.Equal(statuses, secret.Data[keyProbeStatuses]) {
			changes[keyProbeStatuses] = statuses
		}
		s.planner.probeAt = a.c.Clock.Now().Add(a.c.Timing.ProbePeriod)
	}
	return a.patchSecret(ctx, secret, changes)
}

// due reports whether a failed plan may be tried again.
func (a *Agent) due(secret *corev1.Secret, sum string, s *session) bool {
	return sum != string(secret.Data[keyFailedChecksum]) || !a.c.Clock.Now().Before(s.planner.retryAt)
}

func (a *Agent) applyPlan(s *session, secret *corev1.Secret, raw []byte, sum string) map[string][]byte {
	p, err := a.tryPlan(s, raw)
	if err != nil {
		failures := 0
		if sum == string(secret.Data[keyFailedChecksum]) {
			failures, _ = strconv.Atoi(string(secret.Data[keyFailureCount])) // unreadable counts from zero
		}
		s.planner.retryAt = a.c.Clock.Now().Add(a.c.Timing.PlanRetry)
		a.logf("system agent: plan %.12s failed: %v", sum, err)
		return map[string][]byte{
			keyFailedChecksum: []byte(sum), keyFailureCount: []byte(strconv.Itoa(failures + 1)),
			"failed-output": []byte(err.Error()),
		}
	}
	a.logf("system agent: plan %.12s applied", sum)
	s.planner.probes, s.planner.status, s.planner.fresh = p.Probes, map[string]probeStatus{}, true
	return map[string][]byte{
		keyAppliedPlan: raw, keyAppliedChecksum: []byte(sum),
		keyFailedChecksum: nil, keyFailureCount: []byte("0"), "failed-output": nil,
	}
}

// tryPlan writes the files. If the stamp changed, it restarts RKE2 without waiting, as
// `systemctl --no-block restart` in the installer does.
func (a *Agent) tryPlan(s *session, raw []byte) (plan, error) {
	a.mu.Lock()
	failure := a.failPlans
	a.mu.Unlock()
	if failure != "" {
		return plan{}, errors.New(failure)
	}
	p, files, err := parsePlan(raw)
	if err != nil {
		return plan{}, err
	}
	for _, file := range files {
		if err := a.fs.write(file.Path, file.Content); err != nil {
			return plan{}, err
		}
	}
	stamp := p.restartStamp()
	old, err := a.fs.read(restartStampFile)
	if err != nil {
		return plan{}, fmt.Errorf("reading %s: %w", restartStampFile, err)
	}
	if stamp == "" || old != nil && string(old) == stamp {
		return p, nil
	}
	if err := a.fs.write(releaseFile, []byte(p.release())); err != nil {
		return plan{}, err
	}
	if err := a.fs.write(restartStampFile, []byte(stamp)); err != nil {
		return plan{}, err
	}
	s.rke2.restart()
	return p, nil
}

func (a *Agent) patchSecret(ctx context.Context, secret *corev1.Secret, changes map[string][]byte) error {
	if len(changes) == 0 {
		return nil
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": secret.ResourceVersion},
		"data":     changes,
	})
	if err != nil {
		return err
	}
	_, err = a.mgmt.CoreV1().Secrets(secret.Namespace).Patch(ctx, secret.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if apierrors.IsConflict(err) {
		return nil // the next poll, half a second later, reads the change
	}
	if err != nil {
		return fmt.Errorf("writing Secret %s/%s: %w", secret.Namespace, secret.Name, err)
	}
	return nil
}
