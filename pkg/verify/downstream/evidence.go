package downstream

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Evidence returns the evidence for the position. kcms replaces the kube-controller-managers
// that the API shows, unless it is nil: RKE reads them from full-cluster-state, and RKE2 may
// add machines without a Node.
func (f Facts) Evidence(kcms []position.KCM) position.Evidence {
	e := position.Evidence{KCMs: kcms, CCM: f.CCM(), Lease: f.owner()}
	if kcms == nil {
		visible, _ := f.KCMs()
		for _, k := range visible {
			e.KCMs = append(e.KCMs, k.KCM)
		}
	}
	if f.Rights.OK() {
		e.Grant = answer(f.Rights.Value.Get, f.Rights.Value.Update)
	}
	if f.Grant.OK() {
		e.OwnGrant = position.No
		if f.Grant.Value.Role || f.Grant.Value.Binding {
			e.OwnGrant = position.Yes
		}
	}
	return e
}

func answer(a, b bool) position.Answer {
	switch {
	case a && b:
		return position.Yes
	case a || b:
		return position.Partial
	}
	return position.No
}

func (f Facts) owner() position.Owner {
	v, ok := f.MigrationLease()
	if !ok {
		return position.OwnerUnseen
	}
	return ownerOf(v)
}

// ownerOf returns the holder of the migration lease as the position needs it. A holder that
// does not renew does not count. The owner is unseen if the holder renews but is not certainly
// one of the two components.
func ownerOf(v lease.Verdict) position.Owner {
	switch {
	case v.Owner == lease.NoLease:
		return position.NoLease
	case v.Life != lease.Alive:
		return position.NoHolder
	case v.Owner == lease.KCM:
		return position.HeldByKCM
	case v.Owner == lease.CCM:
		return position.HeldByCCM
	}
	return position.OwnerUnseen
}
