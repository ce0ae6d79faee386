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
	// clearLook is how often the container of the holder is looked at when its end is near.
	clearLook = 100 * time.Millisecond
	// awayLook is how often it is before that, so that an API which is away then is not
	// slept over: what ended for want of it is no fault of its own.
	awayLook = 500 * time.Millisecond
)

// clearFence takes the fence away as soon as the kubelet shows that the container of the
// holder has ended, so that the cloud controller manager need not wait for the fence to
// expire. Not before the holder's renew deadline: if the container were not the holder's,
// the holder would have but two seconds left, its last look at the lease. Where any of it
// is missing the fence expires, as without; so nothing here stops a run.
func (s *handOver) clearFence(ctx context.Context, tx *runner.Tx, r migration.Reading, fence awsccm.Fence) error {
	holder, why := holderIn(r)
	if why == "" {
		why = s.runsStill(ctx, holder)
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

// runsStill says that the container does not run now, behind the fence; "": it does. It has
// run all the while then in which the holder had the lease.
func (s *handOver) runsStill(ctx context.Context, holder holderContainer) string {
	statuses, err := s.statusesOf(ctx, holder)
	switch {
	case err != nil:
		return err.Error()
	case holder.of(statuses) != isRunning:
		return "container " + holder.id + " is not seen to run behind the fence"
	}
	return ""
}

// awaitEnd waits until the kubelet shows the end of the container: not before the holder's
// renew deadline, and not for longer than the fence lasts. Both are measured by timers, which
// a clock that is set does not move.
func (s *handOver) awaitEnd(ctx context.Context, holder holderContainer, lasts time.Duration) bool {
	look, due, over := s.Clock.NewTimer(awayLook), s.Clock.NewTimer(holder.worksOn), s.Clock.NewTimer(lasts)
	defer look.Stop()
	defer due.Stop()
	defer over.Stop()
	every := awayLook
	for {
		select {
		case <-ctx.Done():
			return false
		case <-over.C():
			return false
		case <-due.C():
			every = clearLook
		case <-look.C():
		}
		ended := s.endShown(ctx, holder)
		if ended && every == clearLook {
			return true
		}
		look.Reset(every)
	}
}

// endShown looks once whether the kubelet shows the end, and remembers an API that did not answer, or stood still.
func (s *handOver) endShown(ctx context.Context, holder holderContainer) bool {
	began := s.Clock.Now()
	statuses, err := s.statusesOf(ctx, holder)
	now := s.Clock.Now()
	s.before.outage = s.before.outage.beside(now, now.Sub(began), err)
	return err == nil && holder.of(statuses) == hasEnded
}

// statusesOf are those of the holder's pod.
func (s *handOver) statusesOf(ctx context.Context, holder holderContainer) ([]downstream.ContainerStatus, error) {
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
