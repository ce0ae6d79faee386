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

// ownerOf maps the verdict on the migration lease to what the position asks. A
// holder that is not seen renewing holds it for nobody. One that renews, and is
// neither of the two components for sure, was for the position not seen.
func ownerOf(v lease.Verdict) position.Owner {
	switch {
	case v.Owner == lease.NoLease:
		return position.NoLease
	case v.Life != lease.Alive:
		return position.Nobody
	case v.Owner == lease.KCM:
		return position.HeldByKCM
	case v.Owner == lease.CCM:
		return position.HeldByCCM
	}
	return position.OwnerUnseen
}
