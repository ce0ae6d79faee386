package migration

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Evidence returns the facts that the position is computed from.
func (r Reading) Evidence() position.Evidence {
	return r.Down.Evidence(r.KCMEvidence(), r.ControlPlaneNodes(), r.CountControlPlanes(), r.LeaseVerdict())
}

// KCMEvidence returns the part of Evidence about kube-controller-managers.
func (r Reading) KCMEvidence() []position.KCM {
	var kcms []position.KCM
	for _, k := range r.KCMs {
		kcms = append(kcms, position.KCM{Machine: k.Member, Mode: k.Mode(), Why: k.Why, Provider: k.Provider()})
	}
	return kcms
}

// CCMEvidence returns the part of Evidence about the CCM.
func (r Reading) CCMEvidence() position.CCM {
	return r.Down.CCMEvidence(r.ControlPlaneNodes(), r.CountControlPlanes())
}

// LeaseVerdict returns the holder of the migration lease and whether it renews the lease.
func (r Reading) LeaseVerdict() lease.Verdict {
	return lease.JudgeMigration(r.Leases, r.RenewDeadline())
}

// RenewDeadline returns the longest --leader-elect-renew-deadline in force.
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

// Frozen returns an error if the API shows outdated arguments of a kube-controller-manager,
// as some releases do. Those arguments must not be the basis of a plan, a run or an undo.
func (r Reading) Frozen() error {
	for _, k := range r.KCMs {
		if why := k.Mirror.Frozen(); why != "" {
			return &fault.Error{Class: fault.CouldNotLook, Reason: "ArgumentsFrozen", Object: k.Name(), Seen: why,
				Wanted: "the arguments in force, without which no position is known", Fix: k.Mirror.Remedy()}
		}
	}
	return nil
}
