package runner

import (
	"context"
	"errors"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// step runs one step from start to verdict.
func (r *run[S]) step(ctx context.Context, step Step[S], info Info, state State) error {
	tx := &Tx{step: info, s: r.s, stop: r.stop, gone: r.gone, reads: state.Kind == Always, begun: state.Kind == InProgress}
	tx.warn = func(message string, lines []string) {
		r.emit(Event{Type: StepWarning, Step: info.ID, Title: info.Title, Message: message, Lines: lines})
	}
	start := r.o.Clock.Now()
	r.emit(Event{Type: StepStarted, Step: info.ID, Title: info.Title, Message: state.Reason, Position: r.obs.Position, Changes: r.planned[info.ID], Ahead: r.ahead(info.ID)})
	w := newWatch(r, info)
	err := w.do(ctx, step, tx)
	var met Verdict
	if err == nil {
		met, err = w.verify(ctx, step, tx)
	}

	graceful := ctx.Err() == nil && r.stop.requested()
	if f, ok := step.(Finisher); ok {
		if ended := f.Finish(retry.WithoutStop(ctx), tx, graceful); ended != nil && err == nil {
			err = ended
		}
	}
	if s, ok := step.(Settler); ok && err == nil {
		err = s.Settle(retry.WithoutStop(ctx), tx)
	}

	res := r.report.of(info.ID)
	res.Elapsed, res.Warnings = r.o.Clock.Since(start), tx.reportedWarnings()
	done := Event{Type: StepFinished, Step: info.ID, Title: info.Title, Elapsed: res.Elapsed, Lines: met.Evidence, Changes: tx.reportedChanges(), Compared: met.Compared}
	res.Outcome, res.Evidence, res.Compared = Finished, met.Evidence, met.Compared
	if met.AtRest {
		res.Outcome = Halted
	}
	if err != nil {
		r.left = w.leftBy(ctx, tx, graceful)
		done.Type, done.Err, done.Left, res.Outcome = StepFailed, err, r.left, Stopped
		if isStop(err) || ctx.Err() != nil {
			res.Outcome = Halted
		}
	}
	r.emit(done)
	return err
}

// stepError returns the error with which a failed Do or Verify ends the run. If a stop was
// requested, it returns the stop, with err as its cause.
func (r *run[S]) stepError(ctx context.Context, info Info, err error, where string) error {
	if ctx.Err() == nil && (r.stop.requested() || r.gone.requested() && isStop(err)) {
		e := r.interruptedFault(where)
		if !isStop(err) {
			if f, ok := fault.As(e); ok {
				f.Err = err
			}
		}
		return e
	}
	return retry.Classify(err, "step "+string(info.ID))
}

// pauseRollout pauses the rollout, at most once in a run. It returns the error to stop with: cause,
// whether or not the pause succeeded.
func (r *run[S]) pauseRollout(ctx context.Context, info Info, tx *Tx, snap S, cause error) error {
	if !r.s.writable || r.pauseTried {
		return cause
	}
	if lost := r.s.lockLost(); fault.ClassOf(lost) == fault.Locked {
		return lost // the rollout and its failure belong to the other run
	}
	r.pauseTried = true
	ctx = retry.WithoutStop(ctx)
	pulling := &Tx{step: info, s: r.s, stop: r.stop, gone: r.gone, pauses: true, warn: tx.warn}
	done, err := r.p.PauseRollout(ctx, pulling, snap, cause)
	if lost := r.s.lockLost(); fault.ClassOf(lost) == fault.Locked {
		return lost
	}
	if err != nil {
		err = &fault.Error{
			Class: fault.ClassOf(cause), Reason: "BrakeFailed", Object: targetName(r.p.Target()),
			Seen: "the rollout could not be paused, and continues", Fix: "undo now, or pause the cluster by hand", Err: err,
		}
		r.emit(Event{Type: RolloutPaused, Step: info.ID, Title: info.Title, Message: "the rollout could not be paused", Err: err})
	} else {
		r.held = true
		r.emit(Event{Type: RolloutPaused, Step: info.ID, Title: info.Title, Message: done})
	}
	r.bestEffort(ctx, "the pause could not be written to the journal", func(ctx context.Context) error {
		return r.s.change(ctx, func(st *journal.State) {
			st.Pause = &journal.Pause{Run: r.o.RunID, Step: info.ID, Time: r.s.now(), Done: done}
		})
	})
	if err != nil {
		return errors.Join(cause, err)
	}
	return cause
}
