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
	leaseInterval = 500 * time.Millisecond
	// minLook is long enough to see a renewal with default durations, one every 2 s.
	minLook = 2500 * time.Millisecond
	// maxRenewLag is the maximum lag of a lease's renewal behind the newest one of another lease
	// before waiting for it is pointless. It shortens the reading; no verdict depends on it.
	maxRenewLag = 10 * time.Minute
)

// leases reads the three leases repeatedly until every held one was renewed, or until a living
// holder would have renewed it and a waiting candidate taken it: while a lease waits for its next
// holder, nothing is wrong that time does not mend.
func (r Reader) leases(ctx context.Context) verify.Read[lease.Leases] {
	first, err := r.observeAll(ctx)
	if err != nil {
		return verify.Failed[lease.Leases](err)
	}
	return r.watch(ctx, lease.Leases{
		Migration: lease.Series{First: first[0], Last: first[0]},
		KCM:       lease.Series{First: first[1], Last: first[1]},
		CCM:       lease.Series{First: first[2], Last: first[2]},
	}, component.DefaultRenewDeadline)
}

// extend continues the reading if a renew deadline in force is longer than the default.
func (r Reader) extend(ctx context.Context, read verify.Read[lease.Leases], deadline time.Duration) verify.Read[lease.Leases] {
	if !read.OK() || deadline <= component.DefaultRenewDeadline {
		return read
	}
	return r.watch(ctx, read.Value, deadline)
}

func (r Reader) watch(ctx context.Context, read lease.Leases, timeout time.Duration) verify.Read[lease.Leases] {
	elapsed := max(read.Migration.Last.At, read.KCM.Last.At, read.CCM.Last.At)
	start := r.Clock.Now().Add(-elapsed)
	ticker := r.Clock.NewTicker(leaseInterval)
	defer ticker.Stop()
	for !isSettled(read, r.Clock.Since(start), timeout) {
		select {
		case <-ctx.Done():
			return verify.Failed[lease.Leases](fmt.Errorf("watching leases for a renewal: %w", context.Cause(ctx)))
		case <-ticker.C():
		}
		next, err := r.observeAll(ctx)
		if err != nil {
			return verify.Failed[lease.Leases](err)
		}
		for i, s := range []*lease.Series{&read.Migration, &read.KCM, &read.CCM} {
			next[i].At = r.Clock.Since(start)
			if !s.First.Exists {
				s.First = next[i] // the time before a lease is created does not count
			}
			s.Last = next[i]
		}
	}
	return verify.Got(read)
}

// isSettled reports whether further readings would add nothing.
func isSettled(l lease.Leases, elapsed, timeout time.Duration) bool {
	all := []lease.Series{l.Migration, l.KCM, l.CCM}
	var newest time.Time
	for _, s := range all {
		if s.Renewed() && s.Last.Renew.After(newest) {
			newest = s.Last.Renew
		}
	}
	for _, s := range all {
		held := s.Last.Exists && s.Last.Holder != ""
		old := elapsed >= minLook && newest.Sub(s.Last.Renew) > maxRenewLag
		long := elapsed-s.First.At >= max(timeout, s.Last.TakenWithin())
		if held && !s.Renewed() && !old && !long {
			return false
		}
	}
	return true
}

// leaseNames returns the names of the three leases in the order of reading.
func leaseNames() []string {
	return []string{wellknown.MigrationLease, wellknown.KCMLease, wellknown.CCMLease}
}

func (r Reader) observeAll(ctx context.Context) ([3]lease.Observation, error) {
	var out [3]lease.Observation
	for i, name := range leaseNames() {
		var err error
		if out[i], err = r.lease(ctx, name); err != nil {
			return out, fmt.Errorf("reading Lease %s/%s: %w", wellknown.System, name, err)
		}
	}
	return out, nil
}

// lease reads a Lease once. The observation is zero if the Lease does not exist.
func (r Reader) lease(ctx context.Context, name string) (lease.Observation, error) {
	ctx, cancel := r.deadline(ctx)
	defer cancel()
	l, err := r.Kube.CoordinationV1().Leases(wellknown.System).Get(ctx, name, metav1.GetOptions{})
	switch {
	case isNotFound(err):
		return lease.Observation{}, nil
	case err != nil:
		return lease.Observation{}, err
	}
	return convertLease(l), nil
}

func convertLease(l *coordinationv1.Lease) lease.Observation {
	o := lease.Observation{Exists: true, UID: string(l.UID), ResourceVersion: l.ResourceVersion, Manager: findRenewer(l.ManagedFields)}
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

// fieldsLimits returns the limits of a lease's managed fields. A lease has 20 fields.
func fieldsLimits() bounded.Limits { return bounded.Limits{Bytes: 64 << 10, Values: 1 << 12} }

// findRenewer returns the field manager that owns f:spec.f:renewTime, or "".
func findRenewer(entries []metav1.ManagedFieldsEntry) string {
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

// apiServers reads the identity leases. Their label changed in 1.27.
func (r Reader) apiServers(ctx context.Context) verify.Read[[]lease.Observation] {
	var all []lease.Observation
	for _, selector := range []string{"apiserver.kubernetes.io/identity=kube-apiserver", "k8s.io/component=kube-apiserver"} {
		part := collect(ctx, r, "identity leases of API servers", metav1.ListOptions{LabelSelector: selector},
			r.Kube.CoordinationV1().Leases(wellknown.System).List, func(l *coordinationv1.LeaseList) []lease.Observation {
				return filter(l.Items, func(x *coordinationv1.Lease) (lease.Observation, bool) { return convertLease(x), true })
			})
		if !part.OK() {
			return part
		}
		all = append(all, part.Value...)
	}
	return verify.Got(all)
}
