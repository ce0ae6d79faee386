package runner

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// leaving says whether no further step may begin: a clean stop or the brake was asked
// for, or nobody watches any more.
func (r *run[S]) leaving() bool {
	return r.stop.requested() || r.gone.requested() || r.pull.requested()
}

// stopping says whether the step of tx is to be left. A hang-up leaves only what
// has changed nothing yet: Rancher, rke and the API servers go on with a change
// whether or not somebody watches, and then somebody should. Who asks for the brake
// wants what was begun held, which takes a reading.
func (r *run[S]) stopping(tx *Tx) bool {
	return r.stop.requested() || (r.gone.requested() || r.pull.requested()) && !tx.holds()
}

// untilLeaving is ctx for a wait that comes before anything was begun, which a
// hang-up ends as an interrupt does. end gives back what that takes.
func (r *run[S]) untilLeaving(ctx context.Context) (free context.Context, end func()) {
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
