package downstream

import (
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// KCM holds the kube-controller-manager of one control-plane Node.
type KCM struct {
	position.KCM
	Flags  component.Args // empty if the pod is frozen
	Pod    Pod            // zero if there is no pod
	Mirror component.Mirror
}

// KCMs returns one entry for every control-plane Node, sorted by name, also for Nodes without
// a visible kube-controller-manager. ok is false if Nodes or pods could not be read. RKE runs
// the component outside the API: there every entry is unknown, and the caller passes its own
// to Evidence.
func (f Facts) KCMs() (kcms []KCM, ok bool) {
	if !f.Nodes.OK() || !f.StaticPods.OK() {
		return nil, false
	}
	byNode := f.staticKCMs()
	for _, n := range f.Nodes.Value {
		if n.ControlPlane() {
			kcms = append(kcms, readKCM(n, slices.DeleteFunc(byNode[n.Name], func(p Pod) bool { return p.Deleting })))
		}
	}
	sort.Slice(kcms, func(i, j int) bool { return kcms[i].Machine < kcms[j].Machine })
	return kcms, true
}

// readKCM returns the entry of one Node from its kube-controller-manager pods.
func readKCM(node Node, pods []Pod) KCM {
	k := KCM{KCM: position.KCM{Machine: node.Name}}
	switch len(pods) {
	case 0:
		k.Why = "no kube-controller-manager static pod is visible on this node"
		return k
	case 1:
	default:
		k.Why = fmt.Sprintf("%d kube-controller-manager static pods on this node", len(pods))
		return k
	}
	c, _ := RunsKCM(pods[0].Containers)
	k.Pod = pods[0]
	k.Mirror = k.Pod.Shows(node.Kubelet)
	if k.Why = k.Mirror.Frozen(); k.Why != "" {
		return k
	}
	k.Flags = c.Flags()
	if _, err := k.Flags.Bool(component.EnableLeaderMigration, false); err != nil {
		k.Why = err.Error()
		return k
	}
	k.Mode, k.Provider = k.Flags.Mode(), k.Flags.Last(component.CloudProvider)
	return k
}

// CCM returns the evidence of everything that runs an AWS cloud controller manager of this
// cluster, with its pods. The flag counts only if all of them have it. The configuration file
// counts if every image that needs it has it. Workloads scaled to zero do not count.
func (f Facts) CCM() position.CCM {
	switch {
	case !f.DaemonSets.OK():
		return position.CCM{Why: "DaemonSets could not be read"}
	case !f.Workloads.OK():
		return position.CCM{Why: "workloads could not be read"}
	}
	containers := f.ccmTemplates()
	if len(containers) == 0 {
		return position.CCM{Seen: position.No}
	}
	if !f.CCMPods.OK() {
		return position.CCM{Why: "pods of the CCM could not be read"}
	}
	return ccmEvidence(containers, f.CCMPods.Value, f.ccmComplete())
}

// ccmEvidence returns the evidence of a CCM from its templates and its pods.
func ccmEvidence(templates []Container, pods []Pod, complete bool) position.CCM {
	ccm := position.CCM{Seen: position.Yes, Migration: true, ConfigFile: true, Complete: complete}
	for _, c := range templates {
		on, err := c.Flags().Bool(component.EnableLeaderMigration, false)
		if err != nil {
			return position.CCM{Why: err.Error()}
		}
		ccm.Migration = ccm.Migration && on
	}
	containers := slices.Clone(templates)
	for _, p := range pods {
		c, is := RunsCCM(p.Containers)
		if !is || p.Phase == "Succeeded" || p.Phase == "Failed" {
			continue
		}
		containers = append(containers, c)
		if on, err := c.Flags().Bool(component.EnableLeaderMigration, false); on && err == nil {
			ccm.PodsWith++
		} else {
			ccm.PodsWithout++
		}
	}
	for _, c := range containers {
		risky := DefaultUnsafe(c.Image)
		if ccm.Image == "" || risky {
			ccm.Image = c.Image
		}
		ccm.DefaultUnsafe = ccm.DefaultUnsafe || risky
		ccm.ConfigFile = ccm.ConfigFile && (!risky || c.Flags().Last(component.LeaderMigrationConfig) != "")
	}
	return ccm
}

// DefaultUnsafe reports whether a CCM image with the flag alone leaves its service and route
// controllers outside the migration lease. From v1.28 the default configuration does not list
// the names of these controllers (k8s.io/controller-manager v0.28). An unreadable version
// counts as unsafe.
func DefaultUnsafe(image string) bool {
	v, err := component.ImageVersion(image)
	return err != nil || v.AtLeast(1, 28)
}

// ccmTemplates returns the containers of the cluster's CCMs, without idle strays.
func (f Facts) ccmTemplates() []Container {
	var cs []Container
	for _, m := range f.managers() {
		if m.CCM && m.Other == "" && (m.expected || !m.Idle) {
			cs = append(cs, m.container)
		}
	}
	return cs
}

// ccmComplete reports whether there is exactly one DaemonSet, rolled out, with a Ready pod on
// every control-plane Node.
func (f Facts) ccmComplete() bool {
	c, ok := f.CCMCoverage()
	return ok && c.Complete()
}

// MigrationLease returns the verdict on the migration lease. ok is false if the leases could
// not be read.
func (f Facts) MigrationLease() (v lease.Verdict, ok bool) {
	if !f.Leases.OK() {
		return lease.Verdict{}, false
	}
	return lease.JudgeMigration(f.Leases.Value, f.RenewDeadline()), true
}

// RenewDeadline returns the longest --leader-elect-renew-deadline in force.
func (f Facts) RenewDeadline() time.Duration { return component.LongestRenewDeadline(f.candidates()) }

// candidates returns the arguments of the components that elect a leader.
func (f Facts) candidates() []component.Args {
	var all []component.Args
	kcms, _ := f.KCMs()
	for _, k := range kcms {
		if k.Mode != component.ModeUnknown {
			all = append(all, k.Flags)
		}
	}
	if f.DaemonSets.OK() && f.Workloads.OK() {
		for _, c := range f.ccmTemplates() {
			all = append(all, c.Flags())
		}
	}
	return all
}
