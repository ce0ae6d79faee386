package rke2

import (
	"bytes"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// View is Rancher's side and the downstream cluster, read together.
type View struct {
	Facts
	Down   Downstream
	Leases lease.Leases // this reading and the one before it
}

// KCM is the kube-controller-manager of one control-plane Machine, as its
// mirror pod shows it.
type KCM struct {
	Machine Machine
	Node    string
	Pod     *corev1.Pod // nil: none is posted
	Args    component.Args
}

// Provider is the last --cloud-provider, which is the one that counts.
func (k KCM) Provider() string { return k.Args.Last("cloud-provider") }

// Flagged says whether leader migration is on. A value that cannot be read
// counts as on: the component would not have started with it.
func (k KCM) Flagged() bool {
	on, err := k.Args.Bool("enable-leader-migration", false)
	return on || err != nil
}

// Running says whether the pod is Ready and when its container started.
func (k KCM) Running() bool { return k.Pod != nil && podReady(k.Pod) }

// ConfigHash changes exactly when the static pod's manifest does.
func (k KCM) ConfigHash() string {
	if k.Pod == nil {
		return ""
	}
	return k.Pod.Annotations["kubernetes.io/config.hash"]
}

// KCMs gives one entry per control-plane Machine, also where no pod is posted.
func (v View) KCMs() []KCM {
	pods := make(map[string]*corev1.Pod, len(v.Down.KCMPods))
	for i := range v.Down.KCMPods {
		pod := &v.Down.KCMPods[i]
		if pod.Annotations["kubernetes.io/config.source"] == "file" || pod.Annotations["kubernetes.io/config.mirror"] != "" {
			pods[pod.Spec.NodeName] = pod
		}
	}
	var kcms []KCM
	for _, m := range v.ControlPlanes() {
		k := KCM{Machine: m, Node: m.NodeName}
		if nodes := v.Down.nodeOfMachine(m.UID); len(nodes) == 1 {
			k.Node = nodes[0].Name
		}
		if pod := pods[k.Node]; pod != nil && pod.DeletionTimestamp == nil && len(pod.Spec.Containers) > 0 {
			k.Pod = pod
			k.Args = component.Parse(pod.Spec.Containers[0].Command, pod.Spec.Containers[0].Args)
		}
		kcms = append(kcms, k)
	}
	return kcms
}

// Evidence is what the position is computed from.
func (v View) Evidence() position.Evidence {
	e := position.Evidence{CCM: v.ccmEvidence(), Grant: grantAnswer(v.Down), OwnGrant: answer(v.Down.OwnGrant), Lease: v.leaseOwner()}
	for _, k := range v.KCMs() {
		one := position.KCM{Machine: k.Machine.Name, Known: k.Pod != nil, Provider: k.Provider(), Migration: k.Flagged()}
		if k.Pod == nil {
			one.Why = fmt.Sprintf("no mirror pod kube-controller-manager-%s", k.Node)
		}
		e.KCMs = append(e.KCMs, one)
	}
	return e
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

func (v View) ccmEvidence() position.CCM {
	set := v.Down.CCM
	if set == nil || len(set.Spec.Template.Spec.Containers) == 0 {
		return position.CCM{Seen: position.No}
	}
	container := set.Spec.Template.Spec.Containers[0]
	args := component.Parse(container.Command, container.Args)
	flagged, _ := args.Bool("enable-leader-migration", false)
	ccm := position.CCM{Seen: position.Yes, Migration: flagged, Image: container.Image, ConfigFile: args.Has("leader-migration-config")}
	image, err := awsccm.ParseImage(container.Image)
	ccm.DefaultUnsafe = err != nil || defaultUnsafe(image)
	ready := 0
	for i := range v.Down.CCMPods {
		pod := &v.Down.CCMPods[i]
		if len(pod.Spec.Containers) == 0 || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
			continue
		}
		if on, _ := component.Parse(pod.Spec.Containers[0].Command, pod.Spec.Containers[0].Args).Bool("enable-leader-migration", false); on {
			ccm.PodsWith++
		} else {
			ccm.PodsWithout++
		}
		if podReady(pod) {
			ready++
		}
	}
	planes := len(v.ControlPlanes())
	ccm.Complete = planes > 0 && int(set.Status.DesiredNumberScheduled) == planes && ready == planes &&
		set.Status.ObservedGeneration >= set.Generation && int(set.Status.UpdatedNumberScheduled) == planes
	return ccm
}

// defaultUnsafe: from cloud-provider v0.28 on the default leader migration
// configuration names no service and no route controller; a tag that tells no
// version may be any.
func defaultUnsafe(image awsccm.Image) bool {
	version, known := image.Version()
	return !known || version.Major() != 1 || version.Minor() >= 28
}

func (v View) leaseOwner() position.Owner {
	verdict := v.LeaseVerdict()
	switch {
	case verdict.Owner == lease.NoLease:
		return position.NoLease
	case verdict.Life == lease.Dead, verdict.Owner == lease.Nobody:
		return position.Nobody
	case verdict.Owner == lease.KCM:
		return position.HeldByKCM
	case verdict.Owner == lease.CCM:
		return position.HeldByCCM
	}
	return position.Nobody
}

// LeaseVerdict says who holds the migration lease and whether it renews.
func (v View) LeaseVerdict() lease.Verdict {
	return lease.JudgeMigration(v.Leases, component.DefaultRenewDeadline)
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
