package clusterfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// node is a line of nodes.
func aNode(address, roles string) string {
	return fmt.Sprintf("- {address: %s, user: u, role: [%s]}\n", address, roles)
}

// What `rke up` would refuse of a text before it does anything, each by itself: the place,
// its line and what is wrong.
func TestRefusals(t *testing.T) {
	nodes := "nodes:\n" + aNode("10.0.0.1", "controlplane, etcd") + aNode("10.0.0.2", "worker")
	images := "system_images: {etcd: a, kubernetes: a, pod_infra_container: a, alpine: a, nginx_proxy: a, cert_downloader: a, kubernetes_services_sidecar: a}\n"
	for text, want := range map[string][]string{
		nodes: nil,
		nodes + "kubernetes_version: v1.26.9-rancher1-1\n":                                                           nil,
		nodes + "kubernetes_version: v1.26.9\n":                                                                      {`4 kubernetes_version: "v1.26.9" is no version of Rancher's, and system_images does not name every image`},
		nodes + "kubernetes_version: v1.26.9\n" + images:                                                             nil,
		nodes + "kubernetes_version: v1.26.9\n" + strings.Replace(images, "alpine: a, ", "", 1):                      {`4 kubernetes_version: "v1.26.9" is no version of Rancher's, and system_images does not name every image`},
		nodes + "kubernetes_version: v1.26.9\n" + strings.Replace(images, ", kubernetes_services_sidecar: a", "", 1): {`4 kubernetes_version: "v1.26.9" is no version of Rancher's, and system_images does not name every image`},
		nodes + "kubernetes_version: latest\n" + images:                                                              {`4 kubernetes_version: "latest" is no version`},
		nodes + "cloud_provider: {customCloudProvider: x}\n":                                                         {"4 cloud_provider: customCloudProvider without a name"},
		nodes + "cloud_provider: {name: azure, customCloudProvider: x}\n":                                            nil,
		nodes + "cloud_provider: {name: azure}\n":                                                                    {"4 cloud_provider.name: provider azure without azureCloudProvider"},
		nodes + "cloud_provider: {name: azure, azureCloudProvider: {}}\n":                                            nil,
		nodes + "cloud_provider: {name: openstack, azureCloudProvider: {}}\n":                                        {"4 cloud_provider.name: provider openstack without openstackCloudProvider"},
		nodes + "cloud_provider: {name: vsphere}\n":                                                                  {"4 cloud_provider.name: provider vsphere without vsphereCloudProvider"},
		nodes + "cloud_provider: {name: harvester}\n":                                                                {"4 cloud_provider.name: provider harvester without harvesterCloudProvider"},
		nodes + "cloud_provider: {name: aws}\n":                                                                      nil,
		nodes + "- {user: u, role: [worker]}\n":                                                                      {"4 nodes[2]: has no address"},
		nodes + aNode("10.0.0.2", "worker"):                                                                          {"4 nodes[2]: address 10.0.0.2 a second time"},
		nodes + "- {address: 10.0.0.3, hostname_override: 10.0.0.2, user: u, role: [worker]}\n":                      {"4 nodes[2]: hostname_override 10.0.0.2 a second time"},
		nodes + "- {address: 10.0.0.3, hostname_override: Upper, user: u, role: [worker]}\n":                         nil,
		nodes + "- {address: 10.0.0.3, hostname_override: a_b, user: u, role: [worker]}\n":                           {`4 nodes[2]: hostname_override "a_b" is no DNS name`},
		nodes + "- {address: 10.0.0.3, role: [worker]}\n":                                                            {"4 nodes[2]: has no user"},
		nodes + "- {address: 10.0.0.3, user: u}\n":                                                                   {"4 nodes[2]: has no role"},
		nodes + "- {address: 10.0.0.3, user: u, role: [worker, master]}\n":                                           {`4 nodes[2]: role "master"`},
		"cluster_name: a\n":                                                                                     {"0 nodes: no nodes"},
		"nodes:\n" + aNode("10.0.0.1", "controlplane"):                                                          {"1 nodes: no node has the role etcd"},
		"nodes:\n" + aNode("10.0.0.1", "etcd"):                                                                  {"1 nodes: no node has the role controlplane"},
		nodes + "authentication: {strategy: x509|webhook}\n":                                                    nil,
		nodes + "authentication: {strategy: 'X509 | Webhook'}\n":                                                nil,
		nodes + "authentication: {strategy: x509|oidc}\n":                                                       {`4 authentication.strategy: strategy "oidc"`},
		nodes + "authentication: {strategy: webhook}\n":                                                         {"4 authentication.strategy: x509 is not among the strategies"},
		nodes + "network: {plugin: flannel}\n":                                                                  nil,
		nodes + "network: {plugin: flannel, mtu: 1400}\n":                                                       {"4 network.mtu: flannel with an MTU"},
		nodes + "network: {plugin: calico, mtu: 1400}\n":                                                        nil,
		nodes + "network: {plugin: cilium}\n":                                                                   {`4 network.plugin: network plugin "cilium"`},
		nodes + "services: {kube-api: {service_cluster_ip_range: 'a,b'}}\n":                                     {"0 network.plugin: canal with two address families"},
		nodes + "services: {kube-controller: {cluster_cidr: 'a,b'}}\nnetwork: {plugin: weave}\n":                {"5 network.plugin: weave with two address families"},
		nodes + "services: {kube-controller: {cluster_cidr: 'a,b'}}\nnetwork: {plugin: calico}\n":               nil,
		nodes + "services: {kube-controller: {cluster_cidr: 'a,b'}}\nnetwork: {plugin: aci}\n":                  nil,
		nodes + "ingress: {provider: nginx, dns_policy: Default, network_mode: hostNetwork}\n":                  nil,
		nodes + "ingress: {provider: none}\n":                                                                   nil,
		nodes + "ingress: {provider: traefik}\n":                                                                {`4 ingress.provider: ingress provider "traefik"`},
		nodes + "ingress: {dns_policy: Odd}\n":                                                                  {`4 ingress.dns_policy: DNS policy "Odd"`},
		nodes + "ingress: {network_mode: odd}\n":                                                                {`4 ingress.network_mode: network mode "odd"`},
		nodes + "ingress: {network_mode: hostPort, http_port: 8080, https_port: 8443}\n":                        nil,
		nodes + "ingress: {network_mode: hostPort}\n":                                                           nil,
		nodes + "ingress: {network_mode: hostPort, http_port: 8080, https_port: 8080}\n":                        {"4 ingress: ports 8080 and 8080"},
		nodes + "ingress: {network_mode: hostPort, http_port: -1, https_port: 8443}\n":                          {"4 ingress: ports -1 and 8443"},
		nodes + "ingress: {network_mode: hostPort, http_port: 65535, https_port: 65536}\n":                      {"4 ingress: ports 65535 and 65536"},
		nodes + "ingress: {network_mode: hostNetwork, http_port: 65536}\n":                                      nil,
		nodes + "services: {etcd: {backup_config: {s3backupconfig: {endpoint: e, bucket_name: b}}}}\n":          nil,
		nodes + "services: {etcd: {backup_config: {s3backupconfig: {endpoint: e}}}}\n":                          {"4 services.etcd.backup_config.s3backupconfig: s3backupconfig without endpoint and bucket_name"},
		nodes + "services: {etcd: {backup_config: {s3backupconfig: {bucket_name: b}}}}\n":                       {"4 services.etcd.backup_config.s3backupconfig: s3backupconfig without endpoint and bucket_name"},
		nodes + "services: {etcd: {backup_config: {interval_hours: 6}}}\n":                                      nil,
		nodes + "services: {kube-api: {pod_security_configuration: restricted}}\n":                              nil,
		nodes + "services: {kube-api: {pod_security_configuration: baseline}}\n":                                {`4 services.kube-api.pod_security_configuration: pod_security_configuration "baseline"`},
		nodes + "services: {kube-api: {pod_security_configuration: restricted}}\nauthorization: {mode: none}\n": {"4 services.kube-api.pod_security_configuration: pod_security_configuration without RBAC"},
		nodes + "authorization: {mode: none}\n":                                                                 nil,
	} {
		file, err := Parse("cluster.yml", []byte(text))
		if err != nil {
			t.Fatal(text, err)
		}
		var got []string
		for _, r := range file.Refusals() {
			if r.Wanted == "" {
				t.Errorf("%s: nothing is wanted", r.Seen)
			}
			got = append(got, fmt.Sprintf("%d %s: %s", r.Line, r.Path, r.Seen))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s%s", text, d)
		}
	}
}

// An etcd outside needs all that rke reaches it by, and none inside.
func TestRefusalsOfAnOutsideEtcd(t *testing.T) {
	whole := []string{"external_urls: [a]", "ca_cert: c", "cert: c", "key: k", "path: p"}
	of := func(parts []string, roles string) int {
		file, err := Parse("cluster.yml", []byte("nodes:\n"+aNode("10.0.0.1", roles)+"services: {etcd: {"+strings.Join(parts, ", ")+"}}\n"))
		if err != nil {
			t.Fatal(err)
		}
		return len(file.Refusals())
	}
	if got := of(whole, "controlplane"); got != 0 {
		t.Errorf("all of it: %d", got)
	}
	if got := of(whole, "controlplane, etcd"); got != 1 {
		t.Errorf("and one inside: %d", got)
	}
	for i := 1; i < len(whole); i++ {
		if got := of(append(append([]string{}, whole[:i]...), whole[i+1:]...), "controlplane"); got != 1 {
			t.Errorf("without %s: %d", whole[i], got)
		}
	}
}

// The provider that rke makes of a name and of options, which count as much.
func TestProviderResolved(t *testing.T) {
	aws := &AWSCloudProvider{}
	for name, tt := range map[string]struct {
		c    CloudProvider
		want string
	}{
		"none":                       {CloudProvider{}, ""},
		"aws":                        {CloudProvider{Name: "aws"}, "aws"},
		"its options alone":          {CloudProvider{AWS: aws}, "aws"},
		"its options, another name":  {CloudProvider{Name: "external-aws", AWS: aws}, "aws"},
		"options of Azure besides":   {CloudProvider{Name: "aws", AWS: aws, Blocks: []string{"azure"}}, "aws"},
		"of Azure alone":             {CloudProvider{Blocks: []string{"azure"}}, "azure"},
		"of Azure, another name":     {CloudProvider{Name: "x", Blocks: []string{"azure"}}, "x"},
		"of two, the last one":       {CloudProvider{Blocks: []string{"azure", "vsphere"}}, "vsphere"},
		"named, and no options":      {CloudProvider{Name: "azure", AWS: aws}, "azure"},
		"openstack, and no options":  {CloudProvider{Name: "openstack", AWS: aws}, "openstack"},
		"vsphere, and no options":    {CloudProvider{Name: "vsphere", AWS: aws}, "vsphere"},
		"harvester by its name":      {CloudProvider{Name: "harvester"}, "external"},
		"harvester by its options":   {CloudProvider{Name: "x", Blocks: []string{"harvester"}}, "external"},
		"harvester before another":   {CloudProvider{Blocks: []string{"harvester", "azure"}}, "azure"},
		"custom text keeps the name": {CloudProvider{Name: "x", Custom: "text", AWS: aws}, "x"},
	} {
		if got := tt.c.Resolved(); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// A key that a migration goes by has to be filled in; any other is named.
func TestPlaceholders(t *testing.T) {
	for text, refused := range map[string]bool{
		"kubernetes_version: '{{ version }}'\n":                          true,
		"cluster_name: '{{ name }}'\n":                                   false,
		"cloud_provider: {name: '${PROVIDER}'}\n":                        true,
		"cloud_provider: {useInstanceMetadataHostname: <bool>}\n":        true,
		"cloud_provider: {customCloudProvider: '{{ x }}'}\n":             false,
		"nodes:\n- {address: '%host%', user: u}\n":                       true,
		"nodes:\n- {internal_address: $HOST, user: u}\n":                 true,
		"nodes:\n- {hostname_override: '@@name@@', user: u}\n":           true,
		"nodes:\n- {address: a, role: ['__role__']}\n":                   true,
		"nodes:\n- {address: a, user: '{{ user }}'}\n":                   false,
		"services: {kubelet: {extra_args: {name: '{{ x }}'}}}\n":         false,
		"services: {kube-api: {name: '<%= x %>', address: '{% x %}'}}\n": false,
	} {
		file, err := Parse("cluster.yml", []byte(text))
		if (err != nil) != refused || !refused && len(file.Placeholders()) == 0 {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A key that rke ignores is named, with the one that was probably meant.
func TestIgnoredKeys(t *testing.T) {
	for text, want := range map[string]string{
		"cluster_name: a\n":            "",
		"clustername: a\n":             "line 1: rke ignores clustername; did you mean cluster_name?",
		"kubernetesVersion: a\n":       "line 1: rke ignores kubernetesVersion; did you mean kubernetes_version?",
		"node:\n- {address: a}\n":      "line 1: rke ignores node; did you mean nodes?",
		"cloud_provder: {name: aws}\n": "line 1: rke ignores cloud_provder; did you mean cloud_provider?",
		"my_own: a\n":                  "line 1: rke ignores my_own",
		"x-own: a\n":                   "",
		"shelf: &s {v: '1'}\nservices: {kubelet: {extra_args: *s}}\n": "",
		"shelf: &s {v: '1'}\n":                                                           "line 1: rke ignores shelf",
		"services: {kubeController: {}}\n":                                               "line 1: rke ignores services.kubeController; did you mean kube-controller?",
		"services: {kubelet: {extraArgs: {}}}\n":                                         "line 1: rke ignores services.kubelet.extraArgs; did you mean extra_args?",
		"services: {kubelet: {extra_args: {anything: x}}}\n":                             "",
		"cloud_provider: {awsCloudProvider: {service_override: {ec2: {servicee: a}}}}\n": "line 1: rke ignores cloud_provider.awsCloudProvider.service_override.ec2.servicee; did you mean service?",
		"nodes:\n- {adddress: a}\n":                                                      "line 2: rke ignores nodes[0].adddress; did you mean address?",
		"private_registries:\n- {url: a, usr: b}\n":                                      "line 2: rke ignores private_registries[0].usr",
	} {
		file, err := Parse("cluster.yml", []byte(text))
		if err != nil {
			t.Fatal(text, err)
		}
		got := ""
		for _, f := range file.Findings() {
			got += f.String()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Keys are alike whatever their case and separators.
func TestFold(t *testing.T) {
	for key, want := range map[string]string{"": "", "kube-api": "kubeapi", "Kube_API": "kubeapi", "AZ az.09-_ ": "azaz09", "ÄB": "äb"} {
		if got := fold(key); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}

// How many letters a word is away from another: by that a misspelt key is told from one
// of somebody's own.
func TestDistance(t *testing.T) {
	long := strings.Repeat("a", 64)
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "", 3}, {"", "abc", 3}, {"abc", "abd", 1}, {"abc", "ab", 1}, {"ab", "abc", 1}, {"abc", "acb", 1}, {"ba", "ab", 1},
		{"abcd", "badc", 2}, {"abc", "xyz", 3}, {"kitten", "sitting", 3}, {long, long, 0}, {long + "a", long + "a", 64}, {"a", long + "a", 64}, {long + "a", "a", 64}} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("%q, %q: %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// The backup of a text lies beside its file, under the beginning of its digest: by that
// name people find it.
func TestBackupPath(t *testing.T) {
	for digest, want := range map[string]string{"0123456789abcdef": "dir/cluster.yml.awsmigrate-0123456789ab.bak", "0123456789ab": "dir/cluster.yml.awsmigrate-0123456789ab.bak", "01": "dir/cluster.yml.awsmigrate-01.bak"} {
		if got := BackupPath("dir/cluster.yml", digest); got != want {
			t.Errorf("%s: %s", digest, got)
		}
	}
}
