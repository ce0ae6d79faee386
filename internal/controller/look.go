package controller

import (
	"context"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/controller/choices"
	"github.com/awsmigrate/awsmigrate/internal/controller/plans"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// lookAt reads a cluster for an object. m is nil if the object was deleted; then only a rollout
// matters.
func (c *Controller) lookAt(ctx context.Context, k *cluster, m *v1alpha1.ClusterMigration) *look {
	l := &look{at: c.o.Clock.Now(), object: identityOf(m)}
	var there bool
	if l.target, there, l.err = c.target(ctx, k.key); l.err != nil || !there {
		l.gone = l.err == nil
		return l
	}
	spec := v1alpha1.ClusterMigrationSpec{}
	if m != nil {
		spec = m.Spec
	}
	options, err := c.options(ctx, l.target, spec)
	if err != nil { // rollouts are found and watched anyway
		l.refused = err
		if options, l.err = c.options(ctx, l.target, v1alpha1.ClusterMigrationSpec{}); l.err != nil {
			return l
		}
	}
	if l.seen, l.err = c.o.Engine.Assess(ctx, l.target, options); l.err != nil {
		return l
	}
	if l.seen.Unread != nil {
		l.refused = l.seen.Unread
	}
	if m != nil && l.refused == nil && spec.Goal.OrDefault() != v1alpha1.GoalAudit && l.seen.Unplaced == nil && !c.o.AuditsOnly {
		l.moves = c.rancherMoves(ctx)
		store := plans.Store{Client: c.kube, Key: k.key}
		if l.plan, l.err = store.Settle(ctx, l.seen, spec.ApprovedPlan); l.err == nil && handsOff(m, l.seen) {
			l.edit, l.err = store.Publish(ctx, l.seen.Edit)
		}
	}
	return l
}

// options returns the options of a run or a look for the object of a cluster.
func (c *Controller) options(ctx context.Context, t session.Target, spec v1alpha1.ClusterMigrationSpec) (session.Options, error) {
	key := Key{Namespace: t.Namespace, Name: t.Name}
	if err := choices.AllowRole(key, spec.Options.AWS, c.o.AssumableRoles); err != nil {
		return session.Options{}, err
	}
	spec.Options.AWS = choices.OrElse(spec.Options.AWS, c.o.Asks)
	chosen, err := choices.Of(spec, t.Kind)
	if err != nil {
		return session.Options{}, err
	}
	if err := (choices.Secrets{Client: c.kube, Key: key}).Into(ctx, &chosen, spec.Options, c.o.AWS); err != nil {
		return session.Options{}, err
	}
	return session.Options{
		Choices: chosen, Undo: spec.Goal == v1alpha1.GoalUndo, Actor: c.o.Actor,
		Engine: session.Engine{Unattended: true, Version: c.o.Version, Timeout: choices.Timeout(spec.Options), Clock: c.o.Clock},
	}, nil
}

// startLook starts a look. The caller holds k.mu.
func (c *Controller) startLook(k *cluster, m *v1alpha1.ClusterMigration) {
	if k.look != nil && k.look.object != identityOf(m) {
		k.dropAudit() // it has the options of an older object
	}
	if k.moved {
		k.audits.recheck = minAuditInterval
	}
	k.moved = false // this look may miss later changes
	c.begin(k, &job{kind: kindLook}, func(ctx context.Context, _ *job) error {
		var l *look
		if err := recoverPanic(ctx, func(ctx context.Context) error {
			l = c.lookAt(ctx, k, m)
			return nil
		}); err != nil {
			l = &look{at: c.o.Clock.Now(), object: identityOf(m), err: err}
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		k.look = l
		if now := c.o.Clock.Now(); l.err != nil {
			k.wait = k.wait.after(l.err, now)
		} else if !now.Before(k.wait.until) { // a successful look does not end the wait of a run
			k.wait = wait{tries: k.wait.tries}
		}
		return l.err
	})
}

// The pause before the next attempt doubles, from minPause to maxPause.
const (
	minPause = 30 * time.Second
	maxPause = 10 * time.Minute
)

// after returns the wait after an attempt with error err. Only the classes Locked, CouldNotLook
// and NoProgress are tried again.
func (w wait) after(err error, now time.Time) wait {
	class := fault.ClassOf(err)
	switch {
	case err == nil:
		return wait{}
	case class == fault.Locked:
		return wait{until: now.Add(minPause), why: fault.Headline(err), locks: true}
	case class != fault.CouldNotLook && class != fault.NoProgress:
		return wait{}
	}
	pause := min(minPause<<min(w.tries, 10), maxPause)
	return wait{until: now.Add(pause), why: fault.Headline(err), tries: w.tries + 1}
}
