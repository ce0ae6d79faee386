package downstream

import (
	"path"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Stray is a controller manager that is neither the static pod of a control-plane Node nor
// the DaemonSet of the CCM.
type Stray struct {
	Object
	CCM   bool // an AWS cloud controller manager, else a kube-controller-manager
	Idle  bool // no pods until it is scaled up or resumed
	Flags component.Args
	Pod   Pod // zero unless the stray is a Pod
	// Other names the volume that holds the kubeconfig of another cluster. It is empty if
	// the stray talks to this cluster, or if its target is not known.
	Other string
}

// RunsClouds reports whether the stray would run cloud controllers. A CCM does, and so does a
// kube-controller-manager with an in-tree provider, unless --controllers excludes all of them.
// Unreadable values count as yes.
func (s Stray) RunsClouds() bool {
	if provider := s.Flags.Last(component.CloudProvider); !s.CCM && (provider == "" || provider == "external") {
		return false
	}
	list := s.Flags.Last(component.Controllers)
	if list == "" {
		return true
	}
	on := map[string]bool{}
	for _, name := range strings.Split(list, ",") {
		name = strings.TrimSpace(name)
		on[strings.TrimPrefix(name, "-")] = !strings.HasPrefix(name, "-")
	}
	return slices.ContainsFunc(cloudControllers(), func(names [2]string) bool {
		first, named := on[names[0]]
		second, renamed := on[names[1]]
		return first || second || on["*"] && !named && !renamed
	})
}

// cloudControllers returns the two names of each cloud controller. The second is used from
// v1.28 (k8s.io/cloud-provider@v0.26.0:names, v0.28.0:names).
func cloudControllers() [][2]string {
	return [][2]string{{"service", "service-lb-controller"}, {"route", "node-route-controller"}, {"cloud-node", "cloud-node-controller"},
		{"cloud-node-lifecycle", "cloud-node-lifecycle-controller"}, {"tagging", "tagging-controller"}}
}

// Strays returns the strays among all kinds of workloads and pods without a workload, with any
// label. gaps lists the parts that could not be read; strays in them are missing.
func (f Facts) Strays() (strays []Stray, gaps []string) {
	for _, part := range []struct {
		name string
		read bool
	}{{"nodes", f.Nodes.OK()}, {"static pods", f.StaticPods.OK()}, {"workloads", f.Workloads.OK()}, {"DaemonSets", f.DaemonSets.OK()},
		{"pods that no workload made", f.LoosePods.OK()}} {
		if !part.read {
			gaps = append(gaps, part.name)
		}
	}
	for _, m := range f.managers() {
		if !m.expected {
			strays = append(strays, m.Stray)
		}
	}
	slices.SortStableFunc(strays, func(a, b Stray) int { return strings.Compare(a.String(), b.String()) })
	return strays, gaps
}

// manager is a controller manager that a workload or pod runs or would run.
type manager struct {
	Stray
	container Container
	expected  bool
}

// managers returns all controller managers, without the pods of workloads.
func (f Facts) managers() []manager {
	var all []manager
	tenants := f.tenantNamespaces()
	add := func(m manager, cs []Container) {
		for _, find := range []struct {
			ccm  bool
			runs func([]Container) (Container, bool)
		}{{false, RunsKCM}, {true, RunsCCM}} {
			if c, is := find.runs(cs); is {
				m.CCM, m.Flags, m.container = find.ccm, c.Flags(), c
				if tenants[m.Namespace] {
					m.Other = c.kubeconfigVolume()
				}
				all = append(all, m)
			}
		}
	}
	own, _ := f.OwnDaemonSet()
	for _, d := range f.DaemonSets.Value {
		idle := d.Desired+d.Current+d.Misscheduled == 0 && d.Observed >= d.Generation
		add(manager{Stray: Stray{Object: d.Object, Idle: idle}, expected: d.Object == own.Object}, d.Containers)
	}
	for _, w := range f.Workloads.Value {
		add(manager{Stray: Stray{Object: w.Object, Idle: w.Replicas == 0}}, w.Containers)
	}
	expected := f.expectedPods()
	for _, p := range f.loosePods() {
		if !p.Over() && (f.Nodes.OK() || !p.Mirror) { // without Nodes the owner of a static pod is not known
			add(manager{Stray: Stray{Object: p.object(), Pod: p}, expected: expected[p.object()]}, p.Containers)
		}
	}
	return all
}

// OwnDaemonSet returns the DaemonSet that runs the CCM: the only one, or of several the one
// with the name in upstream's chart.
func (f Facts) OwnDaemonSet() (DaemonSet, bool) {
	for _, d := range f.DaemonSets.Value {
		if len(f.DaemonSets.Value) == 1 || d.Namespace == wellknown.System && d.Name == wellknown.CCM {
			return d, true
		}
	}
	return DaemonSet{}, false
}

// loosePods returns the pods without a workload, each once: those with the label of a static
// pod, and all others.
func (f Facts) loosePods() []Pod {
	var pods []Pod
	seen := map[Object]bool{}
	for _, list := range [][]Pod{f.StaticPods.Value, f.LoosePods.Value} {
		for _, p := range list {
			if !seen[p.object()] {
				seen[p.object()] = true
				pods = append(pods, p)
			}
		}
	}
	return pods
}

// expectedPods returns the static pods that run the kube-controller-manager of a control-plane
// Node. Of several on one Node, only the one with the kubelet's name for it is expected.
func (f Facts) expectedPods() map[Object]bool {
	expected := map[Object]bool{}
	for node, pods := range f.staticKCMs() {
		for _, p := range pods {
			if len(pods) == 1 || p.Name == wellknown.KCM+"-"+node {
				expected[p.object()] = true
			}
		}
	}
	return expected
}

// staticKCMs returns the static pods of kube-controller-managers by control-plane Node. Pods
// without the label count only on Nodes that have no labelled one.
func (f Facts) staticKCMs() map[string][]Pod {
	byNode := map[string][]Pod{}
	for _, list := range [][]Pod{f.StaticPods.Value, f.LoosePods.Value} {
		found := map[string][]Pod{}
		for _, p := range list {
			if _, is := RunsKCM(p.Containers); is && p.Mirror {
				found[p.Node] = append(found[p.Node], p)
			}
		}
		for _, n := range f.Nodes.Value {
			if n.ControlPlane() && len(byNode[n.Name]) == 0 && len(found[n.Name]) > 0 {
				byNode[n.Name] = found[n.Name]
			}
		}
	}
	return byNode
}

// tenantNamespaces returns the namespaces in which the API server of another cluster runs as a
// workload: vcluster, Kamaji, HyperShift and Gardener use one namespace for each control
// plane. kube-system is never one, because a self-hosted control plane of this cluster looks
// the same.
func (f Facts) tenantNamespaces() map[string]bool {
	tenants := map[string]bool{}
	for _, w := range f.Workloads.Value {
		tenants[w.Namespace] = tenants[w.Namespace] || runsAPIServer(w.Containers)
	}
	for _, p := range f.LoosePods.Value {
		tenants[p.Namespace] = tenants[p.Namespace] || !p.Mirror && runsAPIServer(p.Containers)
	}
	tenants[wellknown.System] = false
	return tenants
}

// kubeconfigVolume returns the volume of --kubeconfig if the API provides its content: "Secret
// a". It returns "" for a file of the host, of the image or of another volume, and with
// --master.
func (c Container) kubeconfigVolume() string {
	file := c.Flags().Last("kubeconfig")
	if c.Flags().Has("master") {
		return ""
	}
	var best Mount
	for _, m := range c.Mounts {
		inside := file == m.Path || strings.HasPrefix(file, strings.TrimSuffix(m.Path, "/")+"/")
		if file != "" && inside && len(path.Clean(m.Path)) > len(best.Path) {
			best = m
		}
	}
	switch best.Kind {
	case "Secret", "ConfigMap", "Projected":
		return best.Kind + " " + best.Name
	}
	return ""
}
