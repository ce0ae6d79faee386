package rke

import (
	"strings"
	"testing"
)

// sample returns a small cluster with the given provider.
func sample(t *testing.T, version, provider string) Config {
	t.Helper()
	c, err := Decode([]byte(`
nodes:
- {address: 127.2.1.10, internal_address: 10.0.0.4, user: u, role: [controlplane, etcd]}
- {address: 127.2.1.11, internal_address: 10.0.0.5, user: u, role: [controlplane, etcd]}
- {address: 127.2.1.12, internal_address: 10.0.0.6, user: u, role: [worker]}
- {address: 127.2.1.13, internal_address: 10.0.0.7, user: u, role: [worker]}
kubernetes_version: ` + version + `
cloud_provider: ` + provider + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCloudProviderIsResolved(t *testing.T) {
	const v126, v127 = "v1.26.9-rancher1-1", "v1.27.16-rancher1-1"
	for _, test := range []struct {
		name, release, version, provider string
		want, flag, config               string
		err                              string
	}{
		{"in-tree", "v1.5.10", v126, "{name: aws}", "aws", "aws", "", ""},
		{"external", "v1.5.10", v126, "{name: external-aws}", "external-aws", "external", "", ""},
		{"the block beats the name", "v1.5.10", v126, "{name: external-aws, awsCloudProvider: {global: {zone: us-east-1a}}}", "aws", "aws", "[Global]\nZone = us-east-1a\n\n", ""},
		{"an empty block too", "v1.5.10", v126, "{name: external-aws, awsCloudProvider: {}}", "aws", "aws", "[Global]\n\n", ""},
		{"a null block does not", "v1.5.10", v126, "{name: external-aws, awsCloudProvider: }", "external-aws", "external", "", ""},
		{"a custom one keeps the name", "v1.5.10", v126, `{name: external-aws, awsCloudProvider: {}, customCloudProvider: "[Global]"}`, "external-aws", "external", "[Global]", ""},
		{"a custom one without name", "v1.5.10", v126, `{customCloudProvider: "x"}`, "", "", "", "name of the cloud provider is not defined"},
		{"any name will do", "v1.5.10", v126, "{name: externl}", "externl", "externl", "", ""},
		{"aws in 1.27", "v1.5.10", v127, "{name: aws}", "", "", "", "Cloud provider aws is invalid for [v1.27.16-rancher1-1]"},
		{"a block in 1.27", "v1.5.10", v127, "{name: external-aws, awsCloudProvider: {}}", "", "", "", "Cloud provider aws is invalid"},
		{"external in 1.27", "v1.5.10", v127, "{name: external-aws}", "external-aws", "external", "", ""},
		{"an rke before external-aws", "v1.4.14", v126, "{name: external-aws}", "external-aws", "external-aws", "", ""},
		{"the first of 1.4 with it", "v1.4.15", v126, "{name: external-aws}", "external-aws", "external", "", ""},
		{"a version the binary does not know", "v1.4.15", v127, "{name: external-aws}", "", "", "", "k8s version is not supported"},
		{"none", "v1.5.10", v126, "{}", "", "", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := Release(test.release).Resolve(sample(t, test.version, test.provider))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error %v, wanted one with %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.CloudProvider.Name != test.want || c.providerFlag() != test.flag || c.CloudConfig != test.config {
				t.Errorf("name %q, flag %q, config %q; wanted %q, %q, %q", c.CloudProvider.Name, c.providerFlag(), c.CloudConfig, test.want, test.flag, test.config)
			}
		})
	}
}

func TestDefaults(t *testing.T) {
	config := sample(t, "v1.26.9-rancher1-1", "{name: aws}")
	config.Nodes[2].HostnameOverride = "Worker-A"
	c, err := Release("v1.5.10").Resolve(config)
	if err != nil {
		t.Fatal(err)
	}
	n := c.Nodes[0]
	if n.HostnameOverride != "127.2.1.10" || n.Port != "22" || c.Nodes[2].HostnameOverride != "worker-a" {
		t.Errorf("nodes %+v", c.Nodes)
	}
	if p := c.CloudProvider.UseInstanceMetadataHostname; p == nil || *p {
		t.Errorf("useInstanceMetadataHostname of aws is %v; rke writes false", p)
	}
	if config.Nodes[0].Port != "" {
		t.Error("resolving changed the configuration it was given")
	}
	// An empty version follows the binary.
	for release, want := range map[Release]string{"v1.4.19": "v1.26.15-rancher1-1", "v1.5.10": "v1.28.14-rancher1-1"} {
		c, err := release.Resolve(sample(t, "", "{name: external-aws}"))
		if err != nil || c.Version != want {
			t.Errorf("with rke %s an empty version is %s (%v), wanted %s", release, c.Version, err, want)
		}
	}
}

func TestRefusedConfigurations(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"duplicate node":        func(c *Config) { c.Nodes[1].Address = c.Nodes[0].Address },
		"Role for host (4)":     func(c *Config) { c.Nodes[3].Role = nil },
		"User for host (1)":     func(c *Config) { c.Nodes[0].User = "" },
		"Failed to recognize":   func(c *Config) { c.Nodes[0].Role = []string{"master"} },
		"Hostname_override":     func(c *Config) { c.Nodes[0].HostnameOverride = "a_b" },
		"one controlplane host": func(c *Config) { c.Nodes = c.Nodes[2:]; c.Nodes[0].Role = []string{"etcd"} },
	} {
		c := sample(t, "v1.26.9-rancher1-1", "{name: external-aws}")
		change(&c)
		if _, err := Release("v1.5.10").Resolve(c); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReleases(t *testing.T) {
	for _, test := range []struct {
		release           Release
		external, secret  bool
		official, has1_28 bool
	}{
		{"v1.4.14", false, false, true, false}, {"v1.4.18", true, false, true, false}, {"v1.4.19", true, true, true, false},
		{"v1.5.9", true, false, true, true}, {"v1.5.10", true, true, true, true}, {"v1.6.0", true, true, true, true},
		{"v1.5.0-rc3", true, false, false, true}, {"dev", true, true, false, true},
	} {
		known := false
		for _, v := range test.release.Versions() {
			known = known || v == "v1.28.14-rancher1-1"
		}
		if test.release.knowsExternalAWS() != test.external || test.release.keepsSecret() != test.secret || test.release.official() != test.official || known != test.has1_28 {
			t.Errorf("%s: external-aws %t, Secret %t, official %t, knows 1.28 %t", test.release, test.release.knowsExternalAWS(), test.release.keepsSecret(), test.release.official(), known)
		}
	}
}
