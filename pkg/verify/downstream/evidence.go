package downstream

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Evidence is what the position is computed from. kcms replaces the ones seen
// through the API: RKE takes them from full-cluster-state, RKE2 may add machines
// that have no Node. nil means those of Facts.
func (f Facts) Evidence(kcms []position.KCM) position.Evidence {
	e := position.Evidence{KCMs: kcms, CCM: f.CCM(), Lease: f.owner()}
	if kcms == nil {
		seen, _ := f.KCMs()
		for _, k := range seen {
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
		return position.Partly
	}
	return position.No
}

// owner maps the verdict on the lease to what the position asks. A dead KCM
// still counts as the holder: nobody has taken over. What is undecided was, for
// the position, not seen; the next look settles it.
func (f Facts) owner() position.Owner {
	v, ok := f.MigrationLease()
	if !ok {
		return position.OwnerUnseen
	}
	switch v.Owner {
	case lease.NoLease:
		return position.NoLease
	case lease.Nobody:
		return position.Nobody
	case lease.KCM:
		return position.HeldByKCM
	case lease.CCM:
		if v.Life == lease.Dead {
			return position.Nobody
		}
		return position.HeldByCCM
	case lease.Foreign, lease.Undecided:
	}
	return position.OwnerUnseen
}
