package procedure

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const (
	// clearPollInterval is the interval of reads of the holder's container once its end is
	// near.
	clearPollInterval = 100 * time.Millisecond
	// outagePollInterval applies before that. It is short enough to notice an API outage in
	// which the container may end through no fault of its own.
	outagePollInterval = 500 * time.Millisecond
)

// clearFence removes the fence as soon as the kubelet reports the end of the holder's
// container. The CCM then need not wait until the fence expires. It never removes the fence
// before the holder's renew deadline: if the container were not the holder's, the holder would
// have only two seconds left, its last read of the lease. If any condition is missing, the
// fence expires as usual, so nothing here stops a run.
func (s *handOver) clearFence(ctx context.Context, tx *runner.Tx, r migration.Reading, fence awsccm.Fence) error {
	holder, why := findHolderContainer(r)
	if why == "" {
		why = s.judgeRunning(ctx, holder)
	}
	if why != "" {
		tx.Warn("the fence is left to expire: " + why)
		return nil
	}
	intent := journal.Intent{What: "take the fence off " + migrationLeaseObject + ", once container " + holder.id + " has ended", Object: migrationLeaseObject, Token: fence.Holder}
	return tx.Effect(ctx, intent, func(ctx context.Context) error {
		if !s.awaitEnd(ctx, holder, fence.Duration) {
			tx.Warn("the fence is left to expire: no kubelet has shown the end of container " + holder.id)
			return nil
		}
		if _, err := fence.Clear(ctx, s.Kube); err != nil {
			tx.Warn("the fence is left to expire", err.Error())
		}
		return nil
	})
}

// judgeRunning returns why the container is not seen to run after the fence, or empty. A
// container that runs now has run for as long as its holder had the lease.
func (s *handOver) judgeRunning(ctx context.Context, holder holderContainer) string {
	statuses, err := s.readStatuses(ctx, holder)
	switch {
	case err != nil:
		return err.Error()
	case holder.stateIn(statuses) != stateRunning:
		return "container " + holder.id + " is not seen to run behind the fence"
	}
	return ""
}

// awaitEnd reports whether the kubelet shows the end of the container. It waits at least until
// the holder's renew deadline and at most for the lifetime of the fence. Timers measure both,
// so a clock that is set has no effect.
func (s *handOver) awaitEnd(ctx context.Context, holder holderContainer, lasts time.Duration) bool {
	poll, deadline, expiry := s.Clock.NewTimer(outagePollInterval), s.Clock.NewTimer(holder.renewDeadline), s.Clock.NewTimer(lasts)
	defer poll.Stop()
	defer deadline.Stop()
	defer expiry.Stop()
	interval := outagePollInterval
	for {
		select {
		case <-ctx.Done():
			return false
		case <-expiry.C():
			return false
		case <-deadline.C():
			interval = clearPollInterval
		case <-poll.C():
		}
		ended := s.readEnd(ctx, holder)
		if ended && interval == clearPollInterval {
			return true
		}
		poll.Reset(interval)
	}
}

// readEnd reports whether the kubelet shows the end of the container. It records an API that
// failed or did not answer in time.
func (s *handOver) readEnd(ctx context.Context, holder holderContainer) bool {
	began := s.Clock.Now()
	statuses, err := s.readStatuses(ctx, holder)
	now := s.Clock.Now()
	s.history.outage = s.history.outage.addRequest(now, now.Sub(began), err)
	return err == nil && holder.stateIn(statuses) == stateEnded
}

// readStatuses returns the container statuses of the holder's pod.
func (s *handOver) readStatuses(ctx context.Context, holder holderContainer) ([]downstream.ContainerStatus, error) {
	pod, err := s.Kube.CoreV1().Pods(wellknown.System).Get(ctx, holder.pod, metav1.GetOptions{})
	if err != nil {
		return nil, migration.CouldNotRead("Pod "+wellknown.System+"/"+holder.pod, err)
	}
	var all []downstream.ContainerStatus
	for _, one := range pod.Status.ContainerStatuses {
		all = append(all, kube.ContainerStatus(one))
	}
	return all, nil
}
