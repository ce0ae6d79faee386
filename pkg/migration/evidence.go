package migration

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Evidence is what the position is computed from.
func (r Reading) Evidence() position.Evidence {
	return r.Down.Evidence(r.KCMEvidence(), r.ControlPlaneNodes(), r.CountControlPlanes(), r.LeaseVerdict())
}

// KCMEvidence is the part of Evidence that is about kube-controller-managers.
func (r Reading) KCMEvidence() []position.KCM {
	var kcms []position.KCM
	for _, k := range r.KCMs {
		kcms = append(kcms, position.KCM{Machine: k.Member, Mode: k.Mode(), Why: k.Why, Provider: k.Provider()})
	}
	return kcms
}

// CCMEvidence is the part of Evidence that is about the CCM.
func (r Reading) CCMEvidence() position.CCM {
	return r.Down.CCMEvidence(r.ControlPlaneNodes(), r.CountControlPlanes())
}

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

// Frozen says that arguments of a kube-controller-manager cannot be known, since its
// release freezes what the API shows of them: nothing may be planned, resumed or
// taken back by them. nil: no release does.
func (r Reading) Frozen() error {
	for _, k := range r.KCMs {
		if why := k.Mirror.Frozen(); why != "" {
			return &fault.Error{Class: fault.CouldNotLook, Reason: "ArgumentsFrozen", Object: k.Name(), Seen: why,
				Wanted: "the arguments in force, without which no position is known", Fix: k.Mirror.Remedy()}
		}
	}
	return nil
}
