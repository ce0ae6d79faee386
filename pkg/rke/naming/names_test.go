package naming

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

const current = "v1.26.13-rancher1-1"

// named is a cluster of three machines. Each case breaks some of the rules that keep its names.
type named struct {
	facts  rkestate.Facts
	nodes  []downstream.Node
	cloud  cloud.Facts
	target []string
}

func dnsName(i int) string { return fmt.Sprintf("ip-10-0-0-%d.ec2.internal", 10+i) }
func ip(i int) string      { return fmt.Sprintf("10.0.0.%d", 10+i) }

func inTree() *named {
	n := &named{cloud: cloud.Facts{On: true, Instances: verify.Got(map[string]cloud.Instance{})}}
	n.facts.State.Current = rkestate.Applied{Known: true, Config: rkestate.Config{KubernetesVersion: current,
		SystemImages: map[string]string{"kubernetesServicesSidecar": "rancher/rke-tools:v0.1.96", "alpine": "rancher/rke-tools:v0.1.96"}}}
	for i := range 3 {
		id := fmt.Sprintf("i-0000000%d", i)
		n.nodes = append(n.nodes, downstream.Node{
			Name: dnsName(i), Labels: map[string]string{corev1.LabelHostname: ip(i)}, ProviderID: "aws:///us-east-1a/" + id,
			Addresses: []downstream.Address{{Type: "InternalIP", Address: ip(i)},
				{Type: "InternalDNS", Address: dnsName(i)}, {Type: "Hostname", Address: ip(i)}},
		})
		n.cloud.Instances.Value[id] = cloud.Instance{ID: id, HTTPTokens: "optional", PrivateDNSName: dnsName(i)}
		n.facts.Config.Nodes = append(n.facts.Config.Nodes, clusterfile.Node{Address: ip(i), Role: []string{"controlplane", "etcd"}})
	}
	return n
}

func (n *named) tools(image string) {
	for key := range n.facts.State.Current.Config.SystemImages {
		n.facts.State.Current.Config.SystemImages[key] = image
	}
}

func (n *named) override() {
	for i := range n.facts.Config.Nodes {
		n.facts.Config.Nodes[i].HostnameOverride = strings.ToUpper(dnsName(i))
		n.nodes[i].Labels[corev1.LabelHostname] = dnsName(i)
	}
}

func (n *named) instance(i int, change func(*cloud.Instance)) {
	id := fmt.Sprintf("i-0000000%d", i)
	x := n.cloud.Instances.Value[id]
	change(&x)
	n.cloud.Instances.Value[id] = x
}

func (n *named) images(version string, images ...string) {
	taken := map[string]string{}
	for _, image := range images {
		taken[image] = image
	}
	n.facts.Binary = verify.Got(rkecli.Binary{Version: "v1.5.9", Images: map[string]map[string]string{version: taken}})
}

func TestChoose(t *testing.T) {
	no := false
	tests := []struct {
		name   string
		change func(*named)
		want   bool        // UseMetadata
		class  fault.Class // 0 if a rule is found
		says   string
	}{
		{"rke-tools ask", func(*named) {}, true, 0, "v0.1.96"},
		{"too old for the kubelet", func(n *named) { n.tools("rancher/rke-tools:v0.1.90") }, false, fault.Check, "v0.1.90"},
		{"the sidecar's image is the one that counts", func(n *named) {
			n.facts.State.Current.Config.SystemImages["kubernetesServicesSidecar"] = "rancher/rke-tools:v0.1.89"
		}, false, fault.Check, "v0.1.89"},
		{"an image of one's own", func(n *named) { n.tools("registry/tools:v9") }, false, fault.Check, "registry/tools:v9"},
		{"from a mirror", func(n *named) { n.tools("registry:5000/rancher/rke-tools:v0.1.96@sha256:0") }, true, 0, ""},
		{"no images in the state: the table", func(n *named) { n.facts.State.Current.Config.SystemImages = nil }, true, 0, ""},
		{"no images in the state: the table, old", func(n *named) {
			n.facts.State.Current.Config.SystemImages = nil
			n.facts.State.Current.Config.KubernetesVersion = "v1.26.8-rancher1-1"
		}, false, fault.Check, "v0.1.90"},
		{"cluster.yml sets an old one", func(n *named) {
			n.facts.Config.SystemImages = map[string]string{"kubernetes_services_sidecar": "rancher/rke-tools:v0.1.88"}
		}, false, fault.Check, "cluster.yml"},
		{"the binary takes an old one", func(n *named) { n.images(current, "rancher/rke-tools:v0.1.90") }, false, fault.Check, "rke v1.5.9"},
		{"target without known tools", func(n *named) { n.target = []string{"v1.26.0-rancher1-1"} }, false, fault.Check, "target"},
		{"target", func(n *named) { n.target = []string{"v1.27.16-rancher1-1"} }, true, 0, ""},
		{"old, but overridden", func(n *named) { n.tools("rancher/rke-tools:v0.1.90"); n.override() }, false, 0, "hostname_override"},
		{"one not overridden", func(n *named) {
			n.tools("rancher/rke-tools:v0.1.90")
			n.override()
			n.facts.Config.Nodes[1].HostnameOverride = "worker-1"
			n.nodes[1].Labels[corev1.LabelHostname] = "worker-1"
		}, false, fault.Check, dnsName(1)},
		{"both hold: the metadata", func(n *named) { n.override() }, true, 0, ""},
		{"both hold, cluster.yml says no", func(n *named) {
			n.override()
			n.facts.Config.CloudProvider.UseInstanceMetadataHostname = &no
		}, false, 0, "cluster.yml says so"},
		{"cluster.yml says no and cannot", func(n *named) { n.facts.Config.CloudProvider.UseInstanceMetadataHostname = &no }, true, 0, ""},
		{"tokens required", func(n *named) { n.instance(1, func(i *cloud.Instance) { i.HTTPTokens = "required" }) }, false, fault.Check, "HttpTokens=required"},
		{"tokens required, tools ask with one", func(n *named) {
			n.tools("rancher/rke-tools:v0.1.102")
			n.instance(1, func(i *cloud.Instance) { i.HTTPTokens = "required" })
		}, true, 0, ""},
		{"tokens not seen", func(n *named) { n.cloud = cloud.Facts{Off: "--aws off"} }, false, fault.CouldNotLook, "--aws off"},
		{"tokens not seen, tools ask with one", func(n *named) { n.cloud = cloud.Facts{}; n.tools("rancher/rke-tools:v0.1.102") }, true, 0, ""},
		{"tokens not seen, overridden", func(n *named) { n.cloud = cloud.Facts{}; n.override() }, false, 0, "hostname_override"},
		{"instance not found", func(n *named) { delete(n.cloud.Instances.Value, "i-00000001") }, false, fault.CouldNotLook, "not found"},
		{"no metadata service", func(n *named) { n.instance(0, func(i *cloud.Instance) { i.MetadataDisabled = true }) }, false, fault.Check, "switched off"},
		{"another private DNS name", func(n *named) { n.instance(0, func(i *cloud.Instance) { i.PrivateDNSName = "a.corp" }) }, false, fault.Check, "a.corp"},
		{"the metadata has another domain", func(n *named) { n.nodes[2].Addresses[1].Address = "ip-10-0-0-12.corp.example" }, false, fault.Check, "corp.example"},
		{"public addresses", func(n *named) {
			n.facts.Config.Nodes[2].Address = "54.1.2.3"
			n.nodes[2].Labels[corev1.LabelHostname] = "54.1.2.3"
		}, false, fault.Check, "internal_address 54.1.2.3"},
		{"public addresses with internal ones", func(n *named) {
			n.facts.Config.Nodes[2].Address, n.facts.Config.Nodes[2].InternalAddress = "54.1.2.3", ip(2)
			n.nodes[2].Labels[corev1.LabelHostname] = "54.1.2.3"
		}, true, 0, ""},
		{"public addresses with the name", func(n *named) {
			n.facts.Config.Nodes[2].Address, n.facts.Config.Nodes[2].HostnameOverride = "54.1.2.3", dnsName(2)
			n.nodes[2].Labels[corev1.LabelHostname] = dnsName(2)
		}, true, 0, ""},
		{"found by annotation", func(n *named) {
			n.facts.Config.Nodes[2].Address = "54.1.2.3"
			n.nodes[2].Labels[corev1.LabelHostname] = "changed"
			n.nodes[2].Annotations = map[string]string{downstream.AnnotationRKEExternal: "54.1.2.3"}
		}, false, fault.Check, "InternalIP is 10.0.0.12"},
		{"no Node for a node", func(n *named) { n.nodes = n.nodes[:2] }, false, fault.Check, "node 10.0.0.12"},
		{"two nodes for a Node", func(n *named) { n.facts.Config.Nodes[1] = n.facts.Config.Nodes[0] }, false, fault.Check, "too"},
		{"label and address disagree", func(n *named) { n.nodes[1].Labels[corev1.LabelHostname] = ip(0) }, false, fault.Check, "2 Nodes"},
		{"kubelet has a name of its own", func(n *named) {
			n.facts.Config.Services.Kubelet.ExtraArgs = map[string]string{"hostname-override": "x"}
		}, false, fault.Check, "services.kubelet"},
		{"kubeproxy has one, with dashes, in the array", func(n *named) {
			n.facts.Config.Services.Kubeproxy.ExtraArgsArray = map[string][]string{"--hostname_override": {"x"}}
		}, false, fault.Check, "services.kubeproxy"},
		{"Rancher keeps the nodes", func(n *named) {
			n.facts.Config.Nodes = nil
			for i := range 3 {
				n.facts.State.Current.Config.Nodes = append(n.facts.State.Current.Config.Nodes, rkestate.Node{Address: ip(i)})
			}
		}, true, 0, ""},
		{"state not read", func(n *named) { n.facts.State.Current.Known = false }, false, fault.CouldNotLook, "could not be read"},
		{"Nodes not read", func(n *named) { n.nodes = nil }, false, fault.CouldNotLook, "could not be read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := inTree()
			tt.change(n)
			rule, err := Choose(n.facts, n.nodes, n.cloud, n.target...)
			if tt.class == 0 {
				if err != nil || rule.UseMetadata != tt.want || !strings.Contains(rule.Why, tt.says) {
					t.Errorf("%+v, %v; wanted %v", rule, err, tt.want)
				}
				return
			}
			f, ok := fault.As(err)
			if !ok || f.Class != tt.class || f.Reason != ReasonNotProven || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%+v, %v; wanted class %d and %q", rule, err, tt.class, tt.says)
			}
			if f != nil && tt.class == fault.Check && f.Fix == "" {
				t.Errorf("%v says no way out", err)
			}
		})
	}
}

func TestChoose_refusal_namesBothFixes(t *testing.T) {
	n := inTree()
	n.tools("rancher/rke-tools:v0.1.90")
	n.facts.State.Current.Config.KubernetesVersion = "v1.24.17-rancher1-1"
	_, err := Choose(n.facts, n.nodes, n.cloud)
	for _, want := range []string{"v1.25.14-rancher1-1", "hostname_override", dnsName(0), dnsName(2)} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %s", err, want)
		}
	}
}

// After the suggested upgrade, rke-tools must set the name.
func TestInTreeUpgradeHint_version_suffices(t *testing.T) {
	for from, to := range map[string]string{
		"v1.22.17-rancher1-2": "v1.25.14-rancher1-1", "v1.25.13-rancher1-1": "v1.25.14-rancher1-1", "v1.26.8-rancher1-1": "v1.26.9-rancher1-1",
	} {
		hint := inTreeUpgradeHint(from)
		if several := strings.Contains(hint, "one minor version at a time"); !strings.Contains(hint, to) || several != strings.HasPrefix(from, "v1.22") {
			t.Errorf("%s: %s", from, hint)
		}
		if tools := toolsFor(to); tools == nil || tools.LessThan(toolsNameKubelet) {
			t.Errorf("%s comes with rke-tools %v", to, tools)
		}
		if tools := toolsFor(from); tools == nil || !tools.LessThan(toolsNameKubelet) {
			t.Errorf("%s comes with rke-tools %v and needs no upgrade", from, tools)
		}
	}
}
