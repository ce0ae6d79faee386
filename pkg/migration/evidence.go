package migration

import (
	"bytes"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
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

func grantAnswer(d Downstream) position.Answer {
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
	container := set.Spec.Template.Spec.Containers[0]
	flagged, _ := args.Bool("enable-leader-migration", false)
	ccm := position.CCM{Seen: position.Yes, Migration: flagged, Image: container.Image, ConfigFile: args.Has("leader-migration-config")}
	image, err := awsccm.ParseImage(container.Image)
	ccm.DefaultUnsafe = err != nil || defaultUnsafe(image)
	coverage := downstream.Coverage{Desired: int(set.Status.DesiredNumberScheduled), Updated: int(set.Status.UpdatedNumberScheduled),
		Observed: set.Status.ObservedGeneration >= set.Generation}
	for _, node := range r.PlaneNodes() {
		coverage.Nodes = append(coverage.Nodes, node.Name)
	}
	for i := range r.Down.CCMPods {
		pod := &r.Down.CCMPods[i]
		if len(pod.Spec.Containers) == 0 || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
			continue
		}
		if on, _ := component.Parse(pod.Spec.Containers[0].Command, pod.Spec.Containers[0].Args).Bool("enable-leader-migration", false); on {
			ccm.PodsWith++
		} else {
			ccm.PodsWithout++
		}
		if PodReady(pod) && pod.DeletionTimestamp == nil {
			coverage.Ready = append(coverage.Ready, pod.Spec.NodeName)
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
	if r.Down.CCM == nil || len(r.Down.CCM.Spec.Template.Spec.Containers) == 0 {
		return component.Args{}, false
	}
	container := r.Down.CCM.Spec.Template.Spec.Containers[0]
	return component.Parse(container.Command, container.Args), true
}

// leases are the three leases as one reading of them.
func (d Downstream) leases(at time.Duration) lease.Readings {
	return lease.Readings{Migration: observeLease(d.Leases[wellknown.MigrationLease], at), KCM: observeLease(d.Leases[wellknown.KCMLease], at), CCM: observeLease(d.Leases[wellknown.CCMLease], at)}
}

// observeLease turns a Lease object into one reading of it.
func observeLease(object *coordinationv1.Lease, at time.Duration) lease.Observation {
	if object == nil {
		return lease.Observation{At: at}
	}
	o := lease.Observation{Exists: true, UID: string(object.UID), ResourceVersion: object.ResourceVersion, At: at}
	if object.Spec.HolderIdentity != nil {
		o.Holder = *object.Spec.HolderIdentity
	}
	if object.Spec.LeaseDurationSeconds != nil {
		o.Duration = time.Duration(*object.Spec.LeaseDurationSeconds) * time.Second
	}
	if object.Spec.AcquireTime != nil {
		o.Acquire = object.Spec.AcquireTime.Time
	}
	if object.Spec.RenewTime != nil {
		o.Renew = object.Spec.RenewTime.Time
	}
	if object.Spec.LeaseTransitions != nil {
		o.Transitions = int(*object.Spec.LeaseTransitions)
	}
	o.Manager = renewer(object)
	return o
}

// renewer is the field manager that wrote the last renewal: the executable's
// name, which identities do not tell.
func renewer(object *coordinationv1.Lease) string {
	for _, entry := range object.ManagedFields {
		if entry.FieldsV1 != nil && bytes.Contains(entry.FieldsV1.GetRawBytes(), []byte(`"f:renewTime"`)) {
			return entry.Manager
		}
	}
	return ""
}
