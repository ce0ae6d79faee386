package downstream

import (
	"path"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Stray is a controller manager that belongs neither to the static pods of a
// control-plane Node nor to the DaemonSet of the CCM.
type Stray struct {
	Object
	CCM   bool // an AWS cloud controller manager; else a kube-controller-manager
	Idle  bool // without pods until somebody scales it up or resumes it
	Flags component.Args
	Pod   Pod // of a Pod; else zero
	// Other is the volume that its kubeconfig is in, where that is another
	// cluster's; "": it talks to this one, or nothing tells.
	Other string
}

// RunsClouds says whether it would run cloud controllers: a CCM does, a
// kube-controller-manager with an in-tree provider, unless --controllers leaves every
// one out. What cannot be read counts.
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

// cloudControllers have two names each, the second from v1.28 on
// (k8s.io/cloud-provider@v0.26.0:names, v0.28.0:names).
func cloudControllers() [][2]string {
	return [][2]string{{"service", "service-lb-controller"}, {"route", "node-route-controller"}, {"cloud-node", "cloud-node-controller"},
		{"cloud-node-lifecycle", "cloud-node-lifecycle-controller"}, {"tagging", "tagging-controller"}}
}

// Strays lists them: of every kind of workload, of pods that no workload made, under
// whatever label. gaps are the parts that could not be read; with one the list may
// lack some.
func (f Facts) Strays() (strays []Stray, gaps []string) {
	for _, part := range []struct {
		what string
		read bool
	}{{"nodes", f.Nodes.OK()}, {"static pods", f.StaticPods.OK()}, {"workloads", f.Workloads.OK()}, {"DaemonSets", f.DaemonSets.OK()},
		{"pods that no workload made", f.LoosePods.OK()}} {
		if !part.read {
			gaps = append(gaps, part.what)
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

// manager is a controller manager that something runs, or would.
type manager struct {
	Stray
	container Container
	expected  bool
}

// managers are all that were seen, but for the pods of workloads.
func (f Facts) managers() []manager {
	var all []manager
	planes := f.planesBeside()
	add := func(m manager, cs []Container) {
		for _, find := range []struct {
			ccm  bool
			runs func([]Container) (Container, bool)
		}{{false, RunsKCM}, {true, RunsCCM}} {
			if c, is := find.runs(cs); is {
				m.CCM, m.Flags, m.container = find.ccm, c.Flags(), c
				if planes[m.Namespace] {
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
	for _, p := range f.unmadePods() {
		if !p.Over() && (f.Nodes.OK() || !p.Mirror) { // without Nodes nobody knows where static pods belong
			add(manager{Stray: Stray{Object: p.object(), Pod: p}, expected: expected[p.object()]}, p.Containers)
		}
	}
	return all
}

// OwnDaemonSet is the DaemonSet that is to run the CCM: the only one, or of several
// the one with the name that upstream's chart gives.
func (f Facts) OwnDaemonSet() (DaemonSet, bool) {
	for _, d := range f.DaemonSets.Value {
		if len(f.DaemonSets.Value) == 1 || d.Namespace == wellknown.System && d.Name == wellknown.CCM {
			return d, true
		}
	}
	return DaemonSet{}, false
}

// unmadePods are the pods that no workload made: those with the label of a static
// pod, and all others, each once.
func (f Facts) unmadePods() []Pod {
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

// expectedPods are the static pods that run the kube-controller-manager of a
// control-plane Node: those with the label, or where none has it the others. Of
// several the one with the name that a kubelet gives is expected.
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

// staticKCMs are they, by control-plane Node.
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

// planesBeside are the namespaces in which the API server of another cluster runs as
// a workload: vcluster, Kamaji, HyperShift and Gardener keep each control plane in a
// namespace of its own. kube-system never is one, since a self-hosted control plane
// of this cluster looks the same.
func (f Facts) planesBeside() map[string]bool {
	beside := map[string]bool{}
	for _, w := range f.Workloads.Value {
		beside[w.Namespace] = beside[w.Namespace] || runsAPIServer(w.Containers)
	}
	for _, p := range f.LoosePods.Value {
		beside[p.Namespace] = beside[p.Namespace] || !p.Mirror && runsAPIServer(p.Containers)
	}
	beside[wellknown.System] = false
	return beside
}

// kubeconfigVolume is the volume that --kubeconfig lies in, if somebody put it there
// through the API: "Secret a". A file of the host, of the image or of a volume that
// tells nothing is none, and with --master nothing tells either.
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
