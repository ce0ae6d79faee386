package runner

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// mustEnd reports whether no further step may begin: a stop or a pause was requested, or the
// terminal is gone.
func (r *run[S]) mustEnd() bool {
	return r.stop.requested() || r.gone.requested() || r.pull.requested()
}

// mustLeave reports whether the run must leave the step of tx. After a hang-up it leaves only a
// step that has changed nothing: Rancher, rke and the API servers continue with a change in any
// case, and someone should watch. A requested pause needs one more read, because it pauses what
// the step has started.
func (r *run[S]) mustLeave(tx *Tx) bool {
	return r.stop.requested() || (r.gone.requested() || r.pull.requested()) && !tx.hasBegun()
}

// untilEnd returns ctx for a wait before the first change, which a hang-up ends like an
// interrupt. end releases its resources.
func (r *run[S]) untilEnd(ctx context.Context) (free context.Context, end func()) {
	p := retry.WaitPolicyOf(ctx)
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		select {
		case <-r.stop.ch:
		case <-r.gone.ch:
		case <-r.pull.ch:
		case <-ended:
			return
		}
		close(over)
	}()
	p.Stop = over
	return retry.WithWaitPolicy(ctx, p), func() { close(ended) }
}
