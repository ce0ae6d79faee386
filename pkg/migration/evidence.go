package migration

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Evidence is what the position is computed from.
func (r Reading) Evidence() position.Evidence {
	return position.Evidence{KCMs: r.kcmEvidence(), CCM: r.ccmEvidence(), Grant: grantAnswer(r.Down),
		OwnGrant: answer(r.Down.OwnGrant), Lease: r.leaseOwner()}
}

func (r Reading) kcmEvidence() []position.KCM {
	var kcms []position.KCM
	for _, k := range r.KCMs {
		kcms = append(kcms, position.KCM{Machine: k.Member, Known: k.Known, Why: k.Why, Provider: k.Provider(), Migration: k.Flagged()})
	}
	return kcms
}

func answer(yes bool) position.Answer {
	if yes {
		return position.Yes
	}
	return position.No
}

func grantAnswer(d downstream.Cluster) position.Answer {
	if d.MayGet != d.MayUpdate {
		return position.Partly
	}
	return answer(d.MayGet)
}

func (r Reading) ccmEvidence() position.CCM {
	args, there := r.ccmArgs()
	if !there {
		return position.CCM{Seen: position.No}
	}
	set := r.Down.CCM
	container := set.Containers[0]
	flagged, _ := args.Bool("enable-leader-migration", false)
	ccm := position.CCM{Seen: position.Yes, Migration: flagged, Image: container.Image, ConfigFile: args.Has("leader-migration-config")}
	image, err := awsccm.ParseImage(container.Image)
	ccm.DefaultUnsafe = err != nil || defaultUnsafe(image)
	coverage := downstream.Coverage{Desired: int(set.Desired), Updated: int(set.Updated), Observed: set.Observed >= set.Generation}
	for _, node := range r.PlaneNodes() {
		coverage.Nodes = append(coverage.Nodes, node.Name)
	}
	for i := range r.Down.CCMPods {
		pod := &r.Down.CCMPods[i]
		if len(pod.Containers) == 0 || pod.Phase == "Succeeded" || pod.Phase == "Failed" {
			continue
		}
		if on, _ := pod.Containers[0].Flags().Bool("enable-leader-migration", false); on {
			ccm.PodsWith++
		} else {
			ccm.PodsWithout++
		}
		if pod.Ready && !pod.Deleting {
			coverage.Ready = append(coverage.Ready, pod.Node)
		}
	}
	ccm.Complete = coverage.Complete() && len(coverage.Nodes) == r.Planes()
	return ccm
}

// defaultUnsafe: from cloud-provider v0.28 on the default leader migration
// configuration names no service and no route controller; a tag that tells no
// version may be any.
func defaultUnsafe(image awsccm.Image) bool {
	version, known := image.Version()
	return !known || version.Major() != 1 || version.Minor() >= 28
}

func (r Reading) leaseOwner() position.Owner {
	return downstream.OwnerOf(r.LeaseVerdict())
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
	if args, ok := r.ccmArgs(); ok {
		all = append(all, args)
	}
	return component.LongestRenewDeadline(all)
}

// ccmArgs are those of the CCM's DaemonSet.
func (r Reading) ccmArgs() (component.Args, bool) {
	if r.Down.CCM == nil || len(r.Down.CCM.Containers) == 0 {
		return component.Args{}, false
	}
	return r.Down.CCM.Containers[0].Flags(), true
}
