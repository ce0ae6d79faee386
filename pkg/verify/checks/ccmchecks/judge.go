package ccmchecks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// isCCM reports whether a release or chart of that name installs a CCM: by its name, or because a
// CCM's DaemonSet refers to it.
func isCCM(in evidence.Input, namespace, name string) bool {
	if strings.Contains(name, wellknown.CCM) {
		return true
	}
	for _, d := range in.DaemonSets.Value {
		if d.Owner == "helm "+namespace+"/"+name {
			return true
		}
	}
	return false
}

func foreignRelease(in evidence.Input) []verify.Finding {
	return verify.Judge(in.Releases, "Helm releases", func(releases []downstream.Release) []verify.Finding {
		var out []verify.Finding
		for _, r := range releases {
			object := "Helm release " + r.Namespace + "/" + r.Name
			switch {
			case !isCCM(in, r.Namespace, r.Name):
			case r.Namespace == wellknown.System && r.Name == wellknown.CCM:
				out = append(out, verify.Warning(object, r.Status, "none yet: it will be taken over after the plan showed the difference",
					"leave it: the step install-ccm takes it over, and it may be what that step has just installed"))
			default:
				out = append(out, verify.Failure(object, r.Status, "none, or "+wellknown.CCM+" in kube-system", in.Removal("helm", "-n", r.Namespace, "uninstall", r.Name)))
			}
		}
		return out
	})
}

func pendingRelease(in evidence.Input) []verify.Finding {
	return verify.Judge(in.Releases, "Helm releases", func(releases []downstream.Release) []verify.Finding {
		var out []verify.Finding
		for _, r := range releases {
			if r.Pending() && isCCM(in, r.Namespace, r.Name) {
				out = append(out, verify.Warning("Helm release "+r.Namespace+"/"+r.Name, r.Status, "deployed", ""))
			}
		}
		return out
	})
}

func helmCharts(in evidence.Input) []verify.Finding {
	return verify.Judge(in.Charts, "HelmCharts", func(charts []downstream.Chart) []verify.Finding {
		var out []verify.Finding
		for _, c := range charts {
			if strings.Contains(c.Chart, wellknown.CCM) || isCCM(in, evidence.OrElse(c.TargetNamespace, c.Namespace), c.Name) {
				out = append(out, verify.Failure(c.String(), strings.TrimSpace("exists "+c.Version), "none before install-ccm", in.Removal("kubectl", "-n", c.Namespace, "delete", strings.ToLower(c.Kind), c.Name)))
			}
		}
		return out
	})
}

func unowned(in evidence.Input) []verify.Finding {
	var out []verify.Finding
	objects := append([]downstream.Object{}, in.CCMObjects.Value...)
	if !in.CCMObjects.OK() {
		out = append(out, verify.Unread(in.CCMObjects, "objects of the CCM")...)
	}
	if !in.DaemonSets.OK() {
		out = append(out, verify.Unread(in.DaemonSets, "DaemonSets")...)
	}
	for _, d := range in.DaemonSets.Value {
		objects = append(objects, d.Object)
	}
	for _, o := range objects {
		if o.Owner == "" {
			out = append(out, verify.Failure(o.String(), "exists and belongs to no Helm release", "none before install-ccm", in.Removal(append([]string{"kubectl", "delete", strings.ToLower(o.Kind), o.Name}, inNamespace(o.Namespace)...)...)))
		}
	}
	return out
}

func inNamespace(ns string) []string {
	if ns == "" {
		return nil
	}
	return []string{"-n", ns}
}

func daemonSetComplete(in evidence.Input) []verify.Finding {
	if !in.DaemonSets.OK() {
		return verify.Unread(in.DaemonSets, "DaemonSets")
	}
	if !in.Nodes.OK() {
		return verify.Unread(in.Nodes, "nodes")
	}
	if n := len(in.DaemonSets.Value); n != 1 {
		return []verify.Finding{verify.Failure(wellknown.CCM, fmt.Sprintf("%d DaemonSets", n), "one", "")}
	}
	coverage, ok := in.CCMCoverage()
	if !ok {
		return verify.Unread(in.CCMPods, "pods of the CCM")
	}
	d := in.DaemonSets.Value[0]
	switch off := planesOff(in); {
	case coverage.Complete() && len(off) > 0:
		return []verify.Finding{verify.Failure(d.String(), "its pods are shown ready on "+evidence.Some(off)+", whose instance does not run", "one on every control-plane node", "bring the instance back; AWSM-402 says whether it can be started")}
	case coverage.Complete():
		return nil
	}
	seen := fmt.Sprintf("desired %d, updated %d, ready %d", d.Desired, d.Updated, d.Ready)
	if missing := coverage.Missing(); len(missing) > 0 {
		seen += ", no ready pod on " + evidence.Some(missing)
	}
	return []verify.Finding{verify.Failure(d.String(), seen, fmt.Sprintf("one ready pod on each of the %d control-plane nodes, more than none, and on no others", len(coverage.Nodes)), "")}
}

// planesOff returns the control planes whose instance is not running, according to EC2. For 40
// seconds (kube-controller-manager's --node-monitor-grace-period) an API shows their pods
// unchanged.
func planesOff(in evidence.Input) []string {
	if !in.Cloud.On || !in.Cloud.Instances.OK() {
		return nil
	}
	var off []string
	pairs, _ := in.Pairs(in.Cloud.Instances.Value)
	for _, p := range pairs {
		if p.Node.ControlPlane() && p.Found && p.Instance.State != "running" && p.Instance.State != "" {
			off = append(off, p.Node.Name)
		}
	}
	return off
}

// candidates returns the DaemonSets to judge: the existing ones and the planned one.
func candidates(in evidence.Input) ([]downstream.DaemonSet, []verify.Finding) {
	if !in.DaemonSets.OK() {
		return nil, verify.Unread(in.DaemonSets, "DaemonSets")
	}
	if !in.Nodes.OK() {
		return nil, verify.Unread(in.Nodes, "nodes")
	}
	if in.Planned != nil && !in.Position.Position.AtLeast(position.P3) {
		return []downstream.DaemonSet{*in.Planned}, nil
	}
	if len(in.DaemonSets.Value) == 0 {
		return nil, verify.Skipped("no CCM is there or planned")
	}
	return in.DaemonSets.Value, nil
}

func selector(in evidence.Input) []verify.Finding {
	sets, out := candidates(in)
	for _, d := range sets {
		var missed, extra []string
		matched := 0
		for _, n := range in.Nodes.Value {
			switch hit := d.Selects(n); {
			case n.ControlPlane() && hit:
				matched++
			case n.ControlPlane():
				missed = append(missed, n.Name)
			case hit:
				extra = append(extra, n.Name)
			}
		}
		object := fmt.Sprintf("%s, nodeSelector %s", d.String(), spell(d.NodeSelector))
		switch {
		case matched == 0:
			out = append(out, verify.Failure(object, "matches no control-plane node", "every control-plane node", ""))
		case len(missed) > 0:
			out = append(out, verify.Failure(object, "does not match "+evidence.Some(missed), "every control-plane node", ""))
		case len(extra) > 0:
			out = append(out, verify.Warning(object, "matches "+evidence.Some(extra)+" as well", "control-plane nodes only", ""))
		}
	}
	return out
}

func spell(m map[string]string) string { return strings.TrimPrefix(fmt.Sprint(m), "map") }

func tolerations(in evidence.Input) []verify.Finding {
	sets, out := candidates(in)
	for _, d := range sets {
		for _, n := range in.Nodes.Value {
			if !n.ControlPlane() {
				continue
			}
			for _, t := range d.Keeps(n) {
				out = append(out, verify.Failure("Node "+n.Name, "taint "+t.String()+" keeps "+d.Name+" away", "tolerated", ""))
			}
		}
	}
	return out
}

func imageMatrix(in evidence.Input) []verify.Finding {
	if in.ImageAllowed == nil {
		return verify.Skipped("the version matrix is unknown here")
	}
	sets, out := candidates(in)
	if len(sets) > 0 && !in.Version.OK() {
		return append(out, verify.Unread(in.Version, "Kubernetes version")...)
	}
	for _, d := range sets {
		if c, is := downstream.RunsCCM(d.Containers); is {
			out = append(out, judgeImage(in, d, c.Image)...)
		}
	}
	if upgrade := imageForTarget(in); len(upgrade) > 0 {
		out = append(slices.DeleteFunc(out, func(f verify.Finding) bool { return f.Status == verify.Skip }), upgrade...)
	}
	return out
}

// judgeImage judges an image by the API servers of today, and by the target of an upgrade: while
// that rolls out, the image stays. An image that is too old is a warning in a run without an
// upgrade, because the run may be the one that updates it.
func judgeImage(in evidence.Input, d downstream.DaemonSet, image string) []verify.Finding {
	oldest, newest := in.ServerVersions()
	fix := ""
	if in.Position.Position.AtLeast(position.P4) {
		fix = "run awsmigrate on this cluster, without --kubernetes-version: install-ccm updates its own Helm release; update any other CCM at its source"
	}
	err := in.ImageAllowed(image, oldest, newest)
	if err == nil && in.Target != "" {
		err = in.ImageAllowed(image, oldest, in.Target)
	}
	older := isOlderMinor(image, oldest)
	switch {
	case err != nil:
		seen, wanted := err.Error(), "the image of the matrix for "+oldest
		if f, ok := fault.As(err); ok { // its fix is for the user who named an image
			seen, wanted = f.Seen, f.Wanted
		}
		finding := verify.Failure(d.String(), image+": "+seen, wanted, fix)
		if in.Preflight && in.Target == "" && older {
			finding.Status = verify.Warn
		}
		return []verify.Finding{finding}
	case older:
		return []verify.Finding{verify.Warning(d.String(), image+": one minor version older than the API servers, which run "+oldest, "the image of the matrix for "+oldest, fix)}
	}
	return nil
}

// isOlderMinor reports whether an image is of an older minor version than Kubernetes. It is false
// for an image without a version in its tag.
func isOlderMinor(image, kubernetes string) bool {
	v, err := component.ImageVersion(image)
	server, unread := component.ParseVersion(kubernetes)
	return err == nil && unread == nil && !v.AtLeast(server.Major, server.Minor)
}

// imageForTarget judges the image that an upgrade installs at its end. The upgrade cannot be
// undone, so an image that only the user can name is required before it.
func imageForTarget(in evidence.Input) []verify.Finding {
	if in.Target == "" || in.ImageFor == nil {
		return nil
	}
	err := error(nil)
	if in.CCMImage == "" {
		_, err = in.ImageFor(in.Target)
	} else {
		err = in.ImageAllowed(in.CCMImage, in.Target, in.Target)
	}
	if err == nil {
		return nil
	}
	return []verify.Finding{verify.Failure("upgrade to "+in.Target, err.Error(), "an image of its minor version", "name one with --ccm-image")}
}

func admission(in evidence.Input) []verify.Finding {
	if !in.Admission.Looked {
		return verify.Skipped("no pod was rendered to try")
	}
	return verify.Judge(in.Admission, "pod of "+wellknown.CCM, func(a downstream.Admission) []verify.Finding {
		if a.Allowed {
			return nil
		}
		return []verify.Finding{verify.Failure("pod of "+wellknown.CCM, "refused: "+a.Message, "admitted", "")}
	})
}

func cloudRoutes(in evidence.Input) []verify.Finding {
	return verify.Judge(in.Nodes, "nodes", func([]downstream.Node) []verify.Finding {
		if !in.RoutesAtWork() {
			return nil
		}
		seen := "a route controller is at work (condition reason RouteCreated)"
		if !in.Position.Position.AtLeast(position.P3) {
			if in.CloudRoutes == "" {
				return []verify.Finding{verify.Failure("pod routes", seen, "a decision: --cloud-routes on or off", "")}
			}
			return nil
		}
		for _, d := range in.DaemonSets.Value {
			c, _ := downstream.RunsCCM(d.Containers)
			if on, err := c.Flags().Bool(component.ConfigureCloudRoutes, true); err == nil && !on {
				return []verify.Finding{verify.Warning(d.String(), "--configure-cloud-routes=false, and nodes carry routes of an earlier route controller", "a route controller, unless the network needs no routes", "")}
			}
		}
		return nil
	})
}

func arguments(in evidence.Input) []verify.Finding {
	return verify.Judge(in.DaemonSets, "DaemonSets", func(sets []downstream.DaemonSet) []verify.Finding {
		var out []verify.Finding
		for _, d := range sets {
			c, is := downstream.RunsCCM(d.Containers)
			if !is {
				continue
			}
			flags := c.Flags()
			if p := flags.Last(component.CloudProvider); p != component.ProviderAWS {
				out = append(out, verify.Failure(d.String(), fmt.Sprintf("--cloud-provider=%s", p), "--cloud-provider=aws", ""))
			}
			routes, err := flags.Bool(component.ConfigureCloudRoutes, true)
			if err != nil {
				out = append(out, verify.Failure(d.String(), err.Error(), "true or false", ""))
			} else if routes && flags.Last(component.ClusterCIDR) == "" {
				out = append(out, verify.Failure(d.String(), "cloud routes on without --cluster-cidr: the CCM exits as soon as it gets the lease", "--configure-cloud-routes=false, or a --cluster-cidr", ""))
			}
		}
		return out
	})
}

func pods(in evidence.Input) []verify.Finding {
	return verify.Judge(in.CCMPods, "pods of the CCM", func(pods []downstream.Pod) []verify.Finding {
		var out []verify.Finding
		for _, p := range pods {
			object := "Pod " + p.Namespace + "/" + p.Name
			switch {
			case p.Waiting != "":
				out = append(out, verify.Failure(object, p.Waiting+", "+fault.Count(int(p.Restarts), "restart"), "running", evidence.LookAt(p)))
			case !p.Ready && !p.Deleting:
				out = append(out, verify.Failure(object, "not ready, "+evidence.OrElse(p.Phase, "no phase"), "ready", evidence.LookAt(p)))
			case p.Restarts > 0:
				out = append(out, verify.Warning(object, fault.Count(int(p.Restarts), "restart"), "none since it was installed", evidence.LookAt(p)))
			}
		}
		return out
	})
}

func mainLease(in evidence.Input) []verify.Finding {
	object := "Lease kube-system/" + wellknown.CCMLease
	return verify.Judge(in.Leases, object, func(l lease.Leases) []verify.Finding {
		v := lease.JudgeMain(l.CCM, in.RenewDeadline())
		switch {
		case v.Life == lease.NotHeld:
			return []verify.Finding{verify.Failure(object, v.Why, "held by a CCM", "")}
		case v.Owner != lease.CCM && v.Owner != lease.Undecided:
			return []verify.Finding{verify.Failure(object, v.Holder+": "+v.Why, "held by aws-cloud-controller-manager", "")}
		case v.Life != lease.Alive:
			return []verify.Finding{verify.Failure(object, fmt.Sprintf("%s did not renew it in %.1f s", v.Holder, v.Looked.Seconds()), "renewed every 2 s", "")}
		}
		return nil
	})
}

func embedded(in evidence.Input) []verify.Finding {
	return verify.Judge(in.StaticPods, "static pods", func(pods []downstream.Pod) []verify.Finding {
		var out []verify.Finding
		for _, p := range pods {
			_, aws := downstream.RunsCCM(p.Containers)
			if p.Mirror && p.Labels["component"] == "cloud-controller-manager" && !aws {
				out = append(out, verify.Failure("Pod "+p.Namespace+"/"+p.Name, "runs", "off", ""))
			}
		}
		return out
	})
}

func ccmEvents(in evidence.Input) []verify.Finding {
	return verify.Judge(in.Events, "events", func(events []downstream.Event) []verify.Finding {
		names := map[string]bool{}
		for _, d := range in.DaemonSets.Value {
			names[d.String()] = true
		}
		var out []verify.Finding
		for _, e := range events {
			if e.Warning && e.Reason == "FailedCreate" && names[e.Object] {
				out = append(out, verify.Warning(e.Object, e.Message, "no such event; it may be old", ""))
			}
		}
		return out
	})
}

func updateStrategy(in evidence.Input) []verify.Finding {
	return verify.Judge(in.DaemonSets, "DaemonSets", func(sets []downstream.DaemonSet) []verify.Finding {
		var out []verify.Finding
		for _, d := range sets {
			if d.OnDelete {
				out = append(out, verify.Warning(d.String(), "updateStrategy OnDelete", "RollingUpdate", "run the same command again if disable-leader-migration is not done, else "+
					fault.Command("kubectl", "-n", d.Namespace, "patch", "daemonset", d.Name, "--type", "merge", "-p", `{"spec":{"updateStrategy":{"type":"RollingUpdate"}}}`)))
			}
		}
		return out
	})
}
