package migration

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Evidence is what the position is computed from.
func (r Reading) Evidence() position.Evidence {
	return r.Down.Evidence(r.KCMEvidence(), r.PlaneNodes(), r.Planes(), r.LeaseVerdict())
}

// KCMEvidence is the part of Evidence that is about kube-controller-managers.
func (r Reading) KCMEvidence() []position.KCM {
	var kcms []position.KCM
	for _, k := range r.KCMs {
		kcms = append(kcms, position.KCM{Machine: k.Member, Known: k.Known, Why: k.Why, Provider: k.Provider(), Migration: k.Flagged()})
	}
	return kcms
}

// CCMEvidence is the part of Evidence that is about the CCM.
func (r Reading) CCMEvidence() position.CCM { return r.Down.CCMEvidence(r.PlaneNodes(), r.Planes()) }

// LeaseVerdict says who holds the migration lease and whether it renews.
func (r Reading) LeaseVerdict() lease.Verdict {
	return lease.JudgeMigration(r.Leases, r.RenewDeadline())
}

// RenewDeadline is the longest --leader-elect-renew-deadline in force.
func (r Reading) RenewDeadline() time.Duration {
	var all []component.Args
	for _, k := range r.KCMs {
		if k.Known {
			all = append(all, k.Args)
		}
	}
	if ccm, there := r.Down.CCMContainer(); there {
		all = append(all, ccm.Flags())
	}
	return component.LongestRenewDeadline(all)
}
