package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const (
	leaseTick = 500 * time.Millisecond
	// minLook is long enough for a renewal of a holder with default durations,
	// which renews every 2 s.
	minLook = 2500 * time.Millisecond
	// staleAfter is how far a lease's renewal may lie behind that of another one
	// before it is not worth waiting for. It shortens a look; no verdict rests on it.
	staleAfter = 10 * time.Minute
)

// leases reads the three leases again and again until every held one was seen
// renewed, or long enough that a living holder would have renewed.
func (r Reader) leases(ctx context.Context) verify.Read[lease.Leases] {
	first, err := r.observeAll(ctx)
	if err != nil {
		return verify.Failed[lease.Leases](err)
	}
	patience := r.Patience
	if patience <= 0 {
		patience = component.DefaultRenewDeadline
	}
	return r.watch(ctx, lease.Leases{
		Migration: lease.Series{First: first[0], Last: first[0]},
		KCM:       lease.Series{First: first[1], Last: first[1]},
		CCM:       lease.Series{First: first[2], Last: first[2]},
	}, patience)
}

// lookOn looks at leases for longer, where a deadline in force is.
func (r Reader) lookOn(ctx context.Context, seen verify.Read[lease.Leases], deadline time.Duration) verify.Read[lease.Leases] {
	if !seen.OK() || deadline <= max(r.Patience, component.DefaultRenewDeadline) {
		return seen
	}
	return r.watch(ctx, seen.Value, deadline)
}

func (r Reader) watch(ctx context.Context, seen lease.Leases, patience time.Duration) verify.Read[lease.Leases] {
	looked := max(seen.Migration.Last.At, seen.KCM.Last.At, seen.CCM.Last.At)
	start := r.Clock.Now().Add(-looked)
	ticker := r.Clock.NewTicker(leaseTick)
	defer ticker.Stop()
	for !settled(seen, r.Clock.Since(start), patience) {
		select {
		case <-ctx.Done():
			return verify.Failed[lease.Leases](fmt.Errorf("watching leases for a renewal: %w", context.Cause(ctx)))
		case <-ticker.C():
		}
		next, err := r.observeAll(ctx)
		if err != nil {
			return verify.Failed[lease.Leases](err)
		}
		for i, s := range []*lease.Series{&seen.Migration, &seen.KCM, &seen.CCM} {
			next[i].At = r.Clock.Since(start)
			if !s.First.Exists {
				s.First = next[i] // a lease that is made meanwhile is looked at from then on
			}
			s.Last = next[i]
		}
	}
	return verify.Got(seen)
}

// settled says whether a longer look would add nothing.
func settled(l lease.Leases, looked, patience time.Duration) bool {
	all := []lease.Series{l.Migration, l.KCM, l.CCM}
	var newest time.Time
	for _, s := range all {
		if s.Renewed() && s.Last.Renew.After(newest) {
			newest = s.Last.Renew
		}
	}
	for _, s := range all {
		held := s.Last.Exists && s.Last.Holder != ""
		old := looked >= minLook && newest.Sub(s.Last.Renew) > staleAfter
		enough := patience
		if s.Last.Fenced() {
			enough = max(patience, s.Last.FenceLasts())
		}
		long := looked-s.First.At >= enough
		if held && !s.Renewed() && !old && !long {
			return false
		}
	}
	return true
}

// leases are the names of the three, in the order in which they are read.
func leases() []string {
	return []string{wellknown.MigrationLease, wellknown.KCMLease, wellknown.CCMLease}
}

func (r Reader) observeAll(ctx context.Context) ([3]lease.Observation, error) {
	var out [3]lease.Observation
	for i, name := range leases() {
		var err error
		if out[i], err = r.lease(ctx, name); err != nil {
			return out, fmt.Errorf("reading Lease %s/%s: %w", wellknown.System, name, err)
		}
	}
	return out, nil
}

// lease is one reading of a Lease; zero where it does not exist.
func (r Reader) lease(ctx context.Context, name string) (lease.Observation, error) {
	ctx, cancel := r.deadline(ctx)
	defer cancel()
	l, err := r.Kube.CoordinationV1().Leases(wellknown.System).Get(ctx, name, metav1.GetOptions{})
	switch {
	case absent(err):
		return lease.Observation{}, nil
	case err != nil:
		return lease.Observation{}, err
	}
	return observe(l), nil
}

func observe(l *coordinationv1.Lease) lease.Observation {
	o := lease.Observation{Exists: true, UID: string(l.UID), ResourceVersion: l.ResourceVersion, Manager: renewer(l.ManagedFields)}
	if l.Spec.HolderIdentity != nil {
		o.Holder = *l.Spec.HolderIdentity
	}
	if l.Spec.LeaseDurationSeconds != nil {
		o.Duration = time.Duration(*l.Spec.LeaseDurationSeconds) * time.Second
	}
	if l.Spec.LeaseTransitions != nil {
		o.Transitions = int(*l.Spec.LeaseTransitions)
	}
	if l.Spec.AcquireTime != nil {
		o.Acquire = l.Spec.AcquireTime.Time
	}
	if l.Spec.RenewTime != nil {
		o.Renew = l.Spec.RenewTime.Time
	}
	return o
}

// fieldsLimits are the limits of a lease's managed fields. A lease has 20 fields.
func fieldsLimits() bounded.Limits { return bounded.Limits{Bytes: 64 << 10, Values: 1 << 12} }

// renewer is the field manager that owns f:spec.f:renewTime.
func renewer(entries []metav1.ManagedFieldsEntry) string {
	for _, e := range entries {
		if e.FieldsV1 == nil || !bytes.Contains(e.FieldsV1.GetRawBytes(), []byte(`"f:renewTime"`)) {
			continue
		}
		var fields map[string]map[string]json.RawMessage
		if err := fieldsLimits().DecodeJSON(e.FieldsV1.GetRawBytes(), &fields); err != nil {
			continue
		}
		if _, ok := fields["f:spec"]["f:renewTime"]; ok {
			return e.Manager
		}
	}
	return ""
}

// apiServers are the identity leases; the label changed in 1.27.
func (r Reader) apiServers(ctx context.Context) verify.Read[[]lease.Observation] {
	var all []lease.Observation
	for _, selector := range []string{"apiserver.kubernetes.io/identity=kube-apiserver", "k8s.io/component=kube-apiserver"} {
		part := collect(ctx, r, "identity leases of API servers", metav1.ListOptions{LabelSelector: selector},
			r.Kube.CoordinationV1().Leases(wellknown.System).List, func(l *coordinationv1.LeaseList) []lease.Observation {
				return filter(l.Items, func(x *coordinationv1.Lease) (lease.Observation, bool) { return observe(x), true })
			})
		if !part.OK() {
			return part
		}
		all = append(all, part.Value...)
	}
	return verify.Got(all)
}
