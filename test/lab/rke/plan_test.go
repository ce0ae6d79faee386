package rke

import (
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/test/lab/docker"
)

func planOf(t *testing.T, release Release, c Config, node int) map[string]docker.Spec {
	t.Helper()
	cluster, err := release.Resolve(c)
	if err != nil {
		t.Fatal(err)
	}
	return cluster.Plan(cluster.Hosts[node])
}

// flag returns a component's value of one flag, which may occur only once.
func flag(t *testing.T, s docker.Spec, name string) (string, bool) {
	t.Helper()
	var values []string
	for _, word := range append(slices.Clone(s.Entrypoint), s.Cmd...) {
		if value, ok := strings.CutPrefix(word, "--"+name+"="); ok {
			values = append(values, value)
		}
	}
	if len(values) > 1 {
		t.Errorf("--%s is given %d times", name, len(values))
	}
	return strings.Join(values, "|"), len(values) > 0
}

func TestArguments(t *testing.T) {
	const v = "v1.26.9-rancher1-1"
	for _, test := range []struct {
		name, release, provider string
		change                  func(*Config)
		node                    int
		component, flag, want   string
	}{
		{name: "in-tree KCM", provider: "{name: aws}", component: controller, flag: "cloud-provider", want: "aws"},
		{name: "external KCM", provider: "{name: external-aws}", component: controller, flag: "cloud-provider", want: "external"},
		{name: "external API server", provider: "{name: external-aws}", component: apiServer, flag: "cloud-provider", want: "external"},
		{name: "external kubelet", provider: "{name: external-aws}", component: kubelet, flag: "cloud-provider", want: "external"},
		{name: "old rke", release: "v1.4.14", provider: "{name: external-aws}", component: kubelet, flag: "cloud-provider", want: "external-aws"},
		{name: "file", provider: "{name: aws}", component: controller, flag: "cloud-config", want: "/etc/kubernetes/cloud-config"},
		{name: "metadata's option", component: controller, provider: "{name: aws}", flag: "configure-cloud-routes", want: "false"},
		{name: "override of rke's name", provider: "{name: external-aws}", component: kubelet, flag: "hostname-override", want: "127.2.1.10"},
		{name: "no override", provider: "{name: external-aws, useInstanceMetadataHostname: true}", component: kubelet, flag: "hostname-override", want: "-"},
		{name: "nor for kube-proxy", provider: "{name: external-aws, useInstanceMetadataHostname: true}", component: kubeProxy, flag: "hostname-override", want: "-"},
		{name: "in-tree: kube-proxy alone", provider: "{name: aws, useInstanceMetadataHostname: true}", component: kubeProxy, flag: "hostname-override", want: "-"},
		{name: "in-tree: not the kubelet", provider: "{name: aws, useInstanceMetadataHostname: true}", component: kubelet, flag: "hostname-override", want: "127.2.1.10"},
		{name: "ignored for external", provider: "{name: external, useInstanceMetadataHostname: true}", component: kubelet, flag: "hostname-override", want: "127.2.1.10"},
		{name: "taint of a control plane", provider: "{name: aws}", component: kubelet, flag: "register-with-taints", want: controlTaint},
		{name: "no taint of a worker", provider: "{name: aws}", node: 2, component: kubelet, flag: "register-with-taints", want: "-"},
		{name: "node-ip", provider: "{name: aws}", node: 2, component: kubelet, flag: "node-ip", want: "10.0.0.6"},
		{name: "extra_args beat everything", provider: "{name: aws}", component: controller, flag: "leader-elect", want: "false",
			change: func(c *Config) { c.Services.KubeController.ExtraArgs = map[string]string{"leader-elect": "false"} }},
		{name: "even the provider", provider: "{name: external-aws}", component: controller, flag: "cloud-provider", want: "aws",
			change: func(c *Config) { c.Services.KubeController.ExtraArgs = map[string]string{"cloud-provider": "aws"} }},
		{name: "extra_args_array", provider: "{name: aws}", component: controller, flag: "enable-leader-migration", want: "true",
			change: func(c *Config) {
				c.Services.KubeController.ExtraArgsArray = map[string][]string{"enable-leader-migration": {"true"}}
			}},
		{name: "Windows' are not meant", provider: "{name: aws}", component: controller, flag: "enable-leader-migration", want: "-",
			change: func(c *Config) {
				c.Services.KubeController.WindowsExtraArgs = map[string]string{"enable-leader-migration": "true"}
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := sample(t, v, test.provider)
			if test.change != nil {
				test.change(&c)
			}
			release := Release("v1.5.10")
			if test.release != "" {
				release = Release(test.release)
			}
			got, ok := flag(t, planOf(t, release, c, test.node)[test.component], test.flag)
			if !ok {
				got = "-"
			}
			if got != test.want {
				t.Errorf("--%s=%s, wanted %s", test.flag, got, test.want)
			}
		})
	}
}

// A change recreates the containers that differ.
func TestWhatAChangeTouches(t *testing.T) {
	const v = "v1.26.9-rancher1-1"
	base := sample(t, v, "{name: aws}")
	withFlag := base.clone()
	withFlag.Services.KubeController.ExtraArgs = map[string]string{"enable-leader-migration": "true"}
	options := base.clone()
	options.CloudProvider.AWS = &AWSCloudProvider{Global: AWSGlobal{KubernetesClusterID: "demo"}}
	upgraded := base.clone()
	upgraded.Version = "v1.26.15-rancher1-1"
	for _, test := range []struct {
		name string
		to   Config
		node int
		want []string
	}{
		{"nothing", base, 0, nil},
		{"the flag", withFlag, 0, []string{controller}},
		{"the flag, on a worker", withFlag, 2, nil},
		{"external", sample(t, v, "{name: external-aws}"), 0, []string{apiServer, controller, kubelet}},
		{"external with metadata names, on a worker", sample(t, v, "{name: external-aws, useInstanceMetadataHostname: true}"), 2, []string{kubeProxy, kubelet}},
		{"provider options alone", options, 0, []string{apiServer, controller, kubelet}},
		{"a patch release", upgraded, 2, []string{kubeProxy, kubelet}},
	} {
		before, after := planOf(t, "v1.5.10", base, test.node), planOf(t, "v1.5.10", test.to, test.node)
		var changed []string
		for name := range after {
			if !sameSpec(before[name], after[name]) {
				changed = append(changed, name)
			}
		}
		slices.Sort(changed)
		slices.Sort(test.want)
		if !slices.Equal(changed, test.want) {
			t.Errorf("%s changes %v, wanted %v", test.name, changed, test.want)
		}
	}
}
