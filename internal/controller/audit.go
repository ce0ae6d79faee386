package controller

import (
	"context"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// Audited holds the result of an audit.
type Audited struct {
	At       time.Time
	Position string
	Report   verify.Report
}

// failing returns the number of failed checks.
func (a Audited) failing() int { return a.Report.Counts[verify.Fail] }

// minAuditInterval is the minimum time between audits of a changing cluster.
const minAuditInterval = 10 * time.Minute

// auditing is the state of the audits of one cluster.
type auditing struct {
	last    *Audited
	tried   time.Time     // end of the last audit, made or not
	err     error         // why the last audit could not be made, or nil
	recheck time.Duration // time until an extra audit; 0 means the normal interval
	wanted  time.Time     // a rollout wants an audit that is not older, or zero
	cancel  func()        // cancels the audit that waits for its turn or works, or nil
}

// owed reports whether a rollout wants an audit that was not made yet.
func (a *auditing) owed() bool { return a.last != nil && a.last.At.Before(a.wanted) }

// current reports whether the last audit judges the cluster that l saw: at its position, and
// after its last run.
func (a *auditing) current(l *look) bool {
	_, ended := l.ran()
	return a.last != nil && a.last.Position == l.seen.Says.Position && !a.last.At.Before(ended)
}

// due reports whether an audit follows the look l. None does while something rolls out. An audit
// that could not be made is retried after recheck.
func (a *auditing) due(l *look, interval time.Duration) bool {
	passed := l.at.Sub(a.tried)
	if l.seen.UnderWay != "" {
		return false
	}
	if a.recheck > 0 && passed >= a.recheck {
		return true
	}
	return a.err == nil && (passed >= interval || a.owed() || !a.current(l))
}

// lookFor reports whether an audit alone is a reason for a look. A look that began after a rollout
// wanted an audit is followed by it at once, however long the look took.
func (a *auditing) lookFor(l *look, now time.Time) bool {
	age := now.Sub(l.at)
	switch {
	case a.cancel != nil:
		return false
	case a.owed() && a.err == nil:
		return age >= minPause && (l.audited || l.at.Before(a.wanted))
	}
	return a.recheck > 0 && !now.Before(a.nextLook(l))
}

// nextLook returns the time of the look before an extra audit.
func (a *auditing) nextLook(l *look) time.Time {
	extra, soonest := a.tried.Add(a.recheck), l.at.Add(minAuditInterval)
	if extra.Before(soonest) {
		return soonest
	}
	return extra
}

// dropAudit cancels the audit that waits or works. Its result would be about an older object, or
// about a change in progress. The caller holds k.mu.
func (k *cluster) dropAudit() {
	if k.audits.cancel != nil {
		k.audits.cancel()
		k.audits.cancel = nil
	}
	k.audits.err = nil
}

// startAudit starts an audit of a cluster that has an object, if one is due after its last look
// and was not started then. It waits for its turn next to the jobs of the cluster, which do not wait
// for it; a run or a guard cancels it. The caller holds k.mu.
func (c *Controller) startAudit(k *cluster, m *v1alpha1.ClusterMigration) {
	a, l := &k.audits, k.look
	if m == nil || l.gone || a.cancel != nil {
		return
	}
	if l.audited || l.err != nil && !permanent(l.err) || !a.due(l, c.o.Interval) {
		if a.recheck > 0 {
			c.enqueueAfter(k.key, c.pause(a.nextLook(l)))
		}
		return
	}
	ctx, cancel := context.WithCancel(c.work)
	var found Audited
	if c.pool.begin(ctx, k.key, &job{kind: kindAudit, interrupt: cancel}, func(ctx context.Context) error {
		return c.pool.inTurn(ctx, func() (err error) { found, err = c.audit(ctx, l.target, m.Spec); return err })
	}, func(err error) {
		c.endAudit(ctx, k, found, err)
		cancel()
	}) {
		l.audited, a.cancel = true, cancel
	}
}

// audit audits a cluster with the options of its object.
func (c *Controller) audit(ctx context.Context, t session.Target, spec v1alpha1.ClusterMigrationSpec) (Audited, error) {
	options, err := c.options(ctx, t, spec)
	if err != nil {
		return Audited{}, err
	}
	options.ReadOnly = true
	return c.o.Engine.Audit(ctx, t, options)
}

// endAudit stores the result of an audit that was not cancelled.
func (c *Controller) endAudit(ctx context.Context, k *cluster, found Audited, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	a := &k.audits
	a.cancel, a.tried, a.err = nil, c.o.Clock.Now(), err
	if err != nil {
		c.log(k.key).Warn("the audit could not be made", "error", err)
	} else {
		a.last = &found
	}
	a.recheck = c.recheck(a.recheck, err != nil || found.failing() > 0)
	if err != nil && permanent(err) {
		a.recheck = min(permanentPause, c.o.Interval)
	}
	c.enqueue(k.key)
}

// recheck returns the time until an extra audit, or 0 if none is needed. A failed audit may have
// judged a change in progress, which is complete later. The time doubles with each failure.
func (c *Controller) recheck(last time.Duration, failed bool) time.Duration {
	if !failed {
		return 0
	}
	return min(max(2*last, minAuditInterval), c.o.Interval)
}

// makeAudit reads a cluster and makes every check that applies at its position.
func makeAudit(ctx context.Context, t session.Target, o session.Options) (Audited, error) {
	o.IgnoreRuns = true // the chart grants no right to read locks
	source, err := session.Audit(ctx, t, o)
	if err != nil {
		return Audited{}, err
	}
	seen, err := source.Read(ctx)
	if err != nil {
		return Audited{}, err
	}
	at := seen.Input.Position
	return Audited{At: seen.At, Position: at.Position.String(), Report: verify.RunAll(ctx, seen.Bound(), audit.Selection(o.Options, at))}, nil
}
