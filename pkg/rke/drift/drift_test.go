package drift

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/rkefixture"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
	"github.com/awsmigrate/awsmigrate/pkg/rke/configtree"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
)

func TestOf_afterRKEUp_nothing(t *testing.T) {
	for _, name := range rkefixture.Names() {
		f := rkefixture.Applied(t, name)
		if found := Of(f, ""); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// The edits of our own steps are not pending, in any style of file.
func TestOf_ownEdits_nothing(t *testing.T) {
	const target = "v1.27.16-rancher1-1"
	for _, name := range rkefixture.Names() {
		f := rkefixture.Applied(t, name)
		edit, err := f.File.Edit(
			yamltext.Set("true", yamltext.Quoted, "services", "kube-controller", "extra_args", "enable-leader-migration"),
			yamltext.Set("external-aws", yamltext.Plain, "cloud_provider", "name"),
			yamltext.Set("true", yamltext.Plain, "cloud_provider", "useInstanceMetadataHostname"),
			yamltext.Delete("cloud_provider", "awsCloudProvider"),
			yamltext.Set(target, yamltext.Plain, "kubernetes_version"))
		if err != nil {
			t.Fatal(err)
		}
		edited := rkefixture.AppliedAs(t, name, string(edit.After))
		if found := Of(edited, target); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
		if found := Of(edited, ""); len(found) != 1 || found[0].Path != "kubernetes_version" {
			t.Errorf("%s: without a target: %v", name, found)
		}
	}
}

// The undo of the switch restores the in-tree provider with its options while rke's state still
// has external-aws.
func TestWhatTheUndoBringsBackIsNotPending(t *testing.T) {
	for _, name := range []string{"plain", "rich"} {
		f := rkefixture.Applied(t, name)
		state := f.State.Current.Tree["cloudProvider"].(map[string]any)
		if state["awsCloudProvider"] == nil && name == "plain" {
			t.Fatalf("%s has no options of the in-tree provider: nothing is tried", name)
		}
		delete(state, "awsCloudProvider")
		state["name"] = rkestate.ProviderExternal
		if found := Of(f, ""); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
}

func TestOf(t *testing.T) {
	tests := []struct {
		name, file string
		old, text  string // replacement in the file
		want       []string
	}{
		{"an argument changed", "plain", "max-pods: 250", "max-pods: 110", []string{"services.kubelet.extra_args.max-pods: 110 (applied: 250)"}},
		{"an argument removed", "plain", "max-pods: 250", "v: 2",
			[]string{"services.kubelet.extra_args.max-pods: not set (applied: 250)", "services.kubelet.extra_args.v: 2 (applied: not set)"}},
		{"all arguments removed", "plain", "    extra_args:\n      max-pods: 250", "    fail_swap_on: false",
			[]string{"services.kubelet.extra_args.max-pods: not set (applied: 250)"}},
		{"an argument set to false", "plain", "max-pods: 250", "max-pods: 250\n      read-only-port: 0", []string{"services.kubelet.extra_args.read-only-port: 0 (applied: not set)"}},
		{"an argument without a value", "plain", "max-pods: 250", "max-pods: 250\n      feature-gates:", []string{`services.kubelet.extra_args.feature-gates: "" (applied: not set)`}},
		{"another version", "plain", "v1.26.9-rancher1-1", "v1.26.15-rancher1-1", []string{"kubernetes_version: v1.26.15-rancher1-1 (applied: v1.26.9-rancher1-1)"}},
		{"a node added", "plain", "nodes:\n", "nodes:\n  - {address: 10.0.0.20, role: [worker]}\n", []string{"nodes[10.0.0.20]: added (applied: not set)"}},
		{"a node replaced", "plain", "address: 10.0.0.13", "address: 10.0.0.23",
			[]string{"nodes[10.0.0.13]: removed (applied: a node)", "nodes[10.0.0.23]: added (applied: not set)"}},
		{"a role added", "plain", "- worker", "- worker\n      - etcd", []string{"nodes[10.0.0.13].role: [worker, etcd] (applied: [worker])"}},
		{"a node's taint changed", "plain", "value: web", "value: shop", []string{"nodes[10.0.0.14].taints[0].value: shop (applied: web)"}},
		{"a node's label removed", "plain", "    labels:\n      tier: web\n", "", []string{"nodes[10.0.0.14].labels.tier: not set (applied: web)"}},
		{"a node's name set", "plain", "address: 10.0.0.13", "address: 10.0.0.13\n    hostname_override: W13", []string{"nodes[10.0.0.13].hostname_override: w13 (applied: 10.0.0.13)"}},
		{"a node's name removed", "rich", "  hostname_override: IP-10-0-1-1.ec2.internal\n", "", []string{"nodes[54.0.0.1].hostname_override: 54.0.0.1 (applied: ip-10-0-1-1.ec2.internal)"}},
		{"how machines are reached", "plain", "user: ubuntu\n    role: [controlplane, etcd]\n    ssh_key_path: ~/.ssh/shop", "user: root\n    port: 2222\n    role: [controlplane, etcd]", nil},
		{"roles in another order", "plain", "[etcd, controlplane]", "[controlplane, etcd]", nil},
		{"comments", "plain", "# as agreed", "# or not", nil},
		{"a key that rke ignores", "plain", "cluster_name: shop", "cluster_name: shop\nclaster_name: x\nextra_args: {a: b}", nil},
		{"an option of the in-tree provider", "plain", "kubernetes-cluster-id: shop", "kubernetes-cluster-id: other",
			[]string{"cloud_provider.awsCloudProvider.global.kubernetes-cluster-id: other (applied: shop)"}},
		{"such an option with external-aws, which another check reports", "plain", "name: aws\n  awsCloudProvider:\n    global:\n      kubernetes-cluster-id: shop",
			"name: external-aws\n  awsCloudProvider:\n    global:\n      kubernetes-cluster-id: other", nil},
		{"the user's own cloud config", "secured", "KubernetesClusterID = s", "KubernetesClusterID = t",
			[]string{"cloud_provider.customCloudProvider: (not shown) (applied: (not shown))"}},
		{"the network's MTU", "plain", "plugin: canal", "plugin: canal\n  mtu: 1400", []string{"network.mtu: 1400 (applied: not set)"}},
		{"draining", "plain", "cluster_name: shop", "cluster_name: shop\nupgrade_strategy: {drain: true}", []string{"upgrade_strategy.drain: true (applied: not set)"}},
		{"the default value", "plain", "cluster_name: shop", "cluster_name: shop\nupgrade_strategy: {max_unavailable_worker: 10%}\ningress: {provider: nginx}", nil},
		{"an image set", "plain", "cluster_name: shop", "cluster_name: shop\nsystem_images: {etcd: mine/etcd:v3}", []string{"system_images.etcd: mine/etcd:v3 (applied: rancher/mirrored-coreos-etcd:v3.5.6)"}},
		{"a password is not shown", "rich", "password: Hunter2", "password: Hunter3", []string{"private_registries[0].password: (not shown) (applied: (not shown))"}},
		{"nor is a key", "rich", "secret_key: s3cr3t, bucket", "secret_key: n3w, bucket", []string{"services.etcd.backup_config.s3backupconfig.secret_key: (not shown) (applied: (not shown))"}},
		{"nor the environment", "rich", "HTTP_PROXY=http://u:p@proxy", "HTTP_PROXY=http://u:q@proxy", []string{"services.kube-api.extra_env: (not shown) (applied: (not shown))"}},
		{"environment of the KCM, with the checksum", "rich", "extra_env: [A=b]", "extra_env: [A=c]", []string{"services.kube-controller.extra_env: (not shown) (applied: (not shown))"}},
		{"environment removed", "rich", "    extra_env: [A=b]\n", "", []string{"services.kube-controller.extra_env: not set (applied: (not shown))"}},
		{"nor are addons", "rich", "metadata: {name: x}", "metadata: {name: y}", []string{"addons: (not shown) (applied: (not shown))"}},
		{"a list", "rich", "sans: [10.18.160.10, my-lb.example]", "sans: [10.18.160.10]", []string{"authentication.sans: [10.18.160.10] (applied: [10.18.160.10, my-lb.example])"}},
		{"deep in the audit policy", "rich", "level: RequestResponse", "level: Metadata",
			[]string{"services.kube-api.audit_log.configuration.policy.rules[0].level: Metadata (applied: RequestResponse)"}},
		{"the rate limit", "rich", "qps: 6000", "qps: 5000", []string{"services.kube-api.event_rate_limit.configuration.limits[0].qps: 5000 (applied: 6000)"}},
		{"a surge", "rich", "maxSurge: 15%", "maxSurge: 25%", []string{"dns.update_strategy.rollingUpdate.maxSurge: 25% (applied: 15%)"}},
		{"the second of several values", "rich", "api-audiences: [a, b]", "api-audiences: [a, c]", []string{"services.kube-api.extra_args_array.api-audiences: [a, c] (applied: [a, b])"}},
		{"what an anchor names", "rich", "internal_address: 10.0.1.2", "internal_address: 10.0.1.3", []string{"nodes[54.0.0.2].internal_address: 10.0.1.3 (applied: 10.0.1.2)"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			source := string(rkefixture.Applied(t, tt.file).File.Text())
			if !strings.Contains(source, tt.old) {
				t.Fatalf("%q is not in %s", tt.old, tt.file)
			}
			var got []string
			for _, p := range Of(rkefixture.AppliedAs(t, tt.file, strings.Replace(source, tt.old, tt.text, 1)), "") {
				got = append(got, p.String())
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestOf_secrets_hidden(t *testing.T) {
	source := string(rkefixture.Applied(t, "rich").File.Text())
	for _, secret := range []string{"Hunter2", "s3cr3t", "u:p@proxy", "AKIA"} {
		source = strings.ReplaceAll(source, secret, "0th3r")
	}
	f := rkefixture.AppliedAs(t, "rich", source)
	found := Of(f, "")
	if len(found) < 5 {
		t.Fatalf("too few changes to decide: %v", found)
	}
	for _, p := range found {
		for _, secret := range []string{"Hunter2", "s3cr3t", "u:p@proxy", "AKIA", "0th3r"} {
			if strings.Contains(p.File+p.State, secret) {
				t.Errorf("%s shows %s", p, secret)
			}
		}
	}
}

func TestOf_otherBinary_images(t *testing.T) {
	with := func(t *testing.T, name string, change func(map[string]string)) []Change {
		f := rkefixture.Applied(t, name)
		images := maps.Clone(rkefixture.Images(t))
		change(images)
		f.Binary.Value.Version, f.Binary.Value.Images["v1.26.9-rancher1-1"] = "v1.5.14", images
		return Of(f, "")
	}
	newer := func(images map[string]string) {
		images["rancher/mirrored-coredns-coredns"] = "rancher/mirrored-coredns-coredns:1.10.1"
		images["rancher/mirrored-metrics-server"] = "rancher/mirrored-metrics-server:v0.7.0"
	}
	if found := with(t, "rich", newer); len(found) != 1 || found[0].Path != "system_images.coredns" ||
		found[0].State != "registry.corp:5000/rancher/mirrored-coredns-coredns:1.9.4" || !strings.Contains(found[0].File, "1.10.1, by rke v1.5.14") {
		t.Errorf("one of them is set in the file: %v", found)
	}
	if found := with(t, "plain", newer); len(found) != 2 {
		t.Errorf("%v", found)
	}
	if found := with(t, "plain", func(images map[string]string) { delete(images, "rancher/mirrored-pause") }); len(found) != 1 || !strings.Contains(found[0].File, "another image") {
		t.Errorf("a repository that is gone: %v", found)
	}
	f := rkefixture.Applied(t, "plain")
	f.State.Current.Config.SystemImages["kubednsAutoscaler"] = "rancher/mirrored-cluster-proportional-autoscaler:1.8.3"
	if found := Of(f, ""); len(found) > 0 {
		t.Errorf("two images of one repository, of which the binary's list has kept one: %v", found)
	}
	f.Binary.Value.Images = nil
	f.State.Current.Config.SystemImages = map[string]string{"etcd": "x:1"}
	if found := Of(f, ""); len(found) > 0 {
		t.Errorf("a binary that does not know the version: %v", found)
	}
}

func TestNothingIsKnownOfChanges(t *testing.T) {
	f := rkefixture.Applied(t, "plain")
	f.State.Current.Known = false
	if found := Of(f, ""); found != nil {
		t.Errorf("without a state: %v", found)
	}
	f = rkefixture.Applied(t, "plain")
	f.Path = ""
	if found := Of(f, ""); found != nil {
		t.Errorf("Rancher's: %v", found)
	}
	f = rkefixture.Applied(t, "plain")
	f.File = nil
	if found := Of(f, ""); found != nil {
		t.Errorf("without a file: %v", found)
	}
}

// For any file that rke reads, each change has a path and a text, and the comparison does not
// alter the state. A fixed seed removes, doubles, swaps, indents and cuts lines.
func TestOf_mangledFiles_pathAndText(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	f, read := rkefixture.Applied(t, "rich"), 0
	before, err := json.Marshal(f.State.Current.Tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range rkefixture.Names() {
		source := string(rkefixture.Applied(t, name).File.Text())
		for range 50 {
			text := mangled(random, source)
			file, err := clusterfile.Parse(name, []byte(text))
			if err != nil {
				configtree.Of([]byte(text))
				continue
			}
			read++
			f.File, f.Config = file, file.Config()
			for _, p := range Of(f, "") {
				if p.Path == "" || p.File == "" && p.State == "" {
					t.Errorf("%+v says nothing, of\n%s", p, text)
				}
			}
		}
	}
	after, err := json.Marshal(f.State.Current.Tree)
	if err != nil || !bytes.Equal(before, after) {
		t.Error("the state was changed", err)
	}
	if read < 20 {
		t.Errorf("only %d texts could be read", read)
	}
}

func mangled(random *rand.Rand, source string) string {
	lines := strings.Split(source, "\n")
	for range 1 + random.IntN(3) {
		i, j := random.IntN(len(lines)), random.IntN(len(lines))
		switch random.IntN(5) {
		case 0:
			lines = slices.Delete(lines, i, i+1)
		case 1:
			lines = slices.Insert(lines, i, lines[i])
		case 2:
			lines[i], lines[j] = lines[j], lines[i]
		case 3:
			lines[i] = "  " + lines[i]
		case 4:
			key, _, _ := strings.Cut(lines[i], ":")
			lines[i] = key + ":"
		}
	}
	return strings.Join(lines, "\n")
}
