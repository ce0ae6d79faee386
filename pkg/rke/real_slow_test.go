//go:build slow

package rke

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/rkefixture"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// realRKE runs the real rke v1.5.9. With a state file, `rke up --init` contacts no host: it
// decodes, resolves, validates and writes its desired state. The tests do not cover the work
// of rke on hosts, nor other versions.
type realRKE struct {
	bin  string
	seed []byte // state with certificates but without a cluster
}

func newRealRKE(t *testing.T) *realRKE {
	t.Helper()
	dir := os.Getenv("AWSMIGRATE_LAB_BIN")
	if dir == "" {
		dir = "../../bin/lab.d"
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &realRKE{bin: dir}
	if out, err := exec.Command(r.path("rke-v1.5.9"), "--version").CombinedOutput(); err != nil || !bytes.Contains(out, []byte("v1.5.9")) {
		t.Fatalf("the real rke: %v %s; build it with make rke-binaries", err, out)
	}
	// Without a state file, rke searches a cluster on the hosts. Without a key, it ends before
	// it has contacted one.
	state, said := r.init(t, []byte("ssh_key_path: /nonexistent/key\nkubernetes_version: v1.26.9-rancher1-1\nnodes: [{address: 192.0.2.1, user: rke, role: [etcd, controlplane, worker]}]\n"))
	if state == nil {
		t.Fatalf("no state to begin with: %s", said)
	}
	r.seed = state
	return r
}

func (r *realRKE) path(name string) string { return filepath.Join(r.bin, name) }

// init runs `rke up --init` on a cluster.yml. It returns the state that rke wrote, or nil and
// the output of rke.
func (r *realRKE) init(t *testing.T, text []byte) (state []byte, said string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cluster.yml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if r.seed != nil {
		if err := os.WriteFile(rkestate.Path(file), r.seed, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(r.path("rke-v1.5.9"), "up", "--init", "--config", file).CombinedOutput()
	if err != nil {
		return nil, string(out)
	}
	state, err = os.ReadFile(rkestate.Path(file))
	if err != nil {
		t.Fatalf("rke wrote no state: %v\n%s", err, out)
	}
	return state, string(out)
}

// realHost holds the commands of one host's containers.
type realHost struct {
	Address     string
	Processes   map[string][]string
	CloudConfig string
}

// plan returns the containers that rke would run with its desired state.
func (r *realRKE) plan(t *testing.T, state []byte) []realHost {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cluster.rkestate")
	if err := os.WriteFile(file, state, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(r.path("rkeplan-v1.5.9"), file).Output()
	if err != nil {
		t.Fatalf("rkeplan: %v", err)
	}
	var hosts []realHost
	if err := json.Unmarshal(out, &hosts); err != nil || len(hosts) == 0 {
		t.Fatalf("rkeplan: %d hosts, %v", len(hosts), err)
	}
	return hosts
}

// resolve returns the configuration that rke derives from a file, and its plan.
func (r *realRKE) resolve(t *testing.T, text []byte) (rkestate.Config, []realHost) {
	t.Helper()
	raw, said := r.init(t, text)
	return r.read(t, raw, said, text)
}

func (r *realRKE) read(t *testing.T, raw []byte, said string, text []byte) (rkestate.Config, []realHost) {
	t.Helper()
	if raw == nil {
		t.Fatalf("rke refuses the file: %s\n%s", said, text)
	}
	state, err := rkestate.Parse("real", raw)
	if err != nil || !state.Desired.Known {
		t.Fatalf("state: %v", err)
	}
	return state.Desired.Config, r.plan(t, raw)
}

// agree compares the results of this package for a file and rke's state with those of rke.
func agree(t *testing.T, text []byte, state rkestate.Config, hosts []realHost) {
	t.Helper()
	config := configOf(t, string(text))
	if mine := config.CloudProvider.Resolved(); mine != state.CloudProvider.Name {
		t.Errorf("provider: rke %q, Resolved %q", state.CloudProvider.Name, mine)
	}
	if len(hosts) != len(config.Nodes) || len(state.Nodes) != len(hosts) {
		t.Errorf("%d nodes in the file, %d in the state, %d in the plan", len(config.Nodes), len(state.Nodes), len(hosts))
	}
	overrides := map[string]string{}
	for _, node := range state.Nodes {
		overrides[node.Address] = node.HostnameOverride
	}
	asks := state.CloudProvider.Name == rkestate.ProviderExternal && state.CloudProvider.UseInstanceMetadataHostname != nil && *state.CloudProvider.UseInstanceMetadataHostname
	for _, host := range hosts {
		kubelet := component.Parse(host.Processes["kubelet"])
		if got := kubelet.Last(component.CloudProvider); got != state.Provider() {
			t.Errorf("%s: kubelet has --cloud-provider=%s, wanted %s", host.Address, got, state.Provider())
		}
		if kubelet.Has("hostname-override") == asks || !asks && kubelet.Last("hostname-override") != overrides[host.Address] {
			t.Errorf("%s: kubelet has --hostname-override=%q, rke-tools asked for names: %t, state %q", host.Address, kubelet.Last("hostname-override"), asks, overrides[host.Address])
		}
		if words := host.Processes["kube-controller-manager"]; words != nil {
			sameKCM(t, host.Address, component.Parse(words), kcmArgs(state), state)
		}
		// rke's writer quotes values with quotes, comment signs or newlines for another parser
		// than the provider's. The test omits them.
		if mine := cloudConfigText(config); !strings.Contains(mine, `"`) && lines(mine) != lines(host.CloudConfig) {
			t.Errorf("%s: rke deploys the cloud config\n%s\nthis package makes\n%s", host.Address, host.CloudConfig, mine)
		}
	}
}

// sameKCM compares the arguments that a migration depends on, and all arguments of the user.
func sameKCM(t *testing.T, host string, theirs, mine component.Args, state rkestate.Config) {
	t.Helper()
	flags := []string{component.CloudProvider, component.EnableLeaderMigration, component.AllocateNodeCIDRs, component.ConfigureCloudRoutes, component.ClusterCIDR,
		component.Controllers, component.LeaderMigrationConfig, component.FeatureGates, "leader-elect", "leader-elect-lease-duration", "allow-untagged-cloud"}
	for flag := range state.Services.KubeController.ExtraArgs {
		flags = append(flags, flag)
	}
	for flag := range state.Services.KubeController.ExtraArgsArray {
		flags = append(flags, flag)
	}
	for _, flag := range flags {
		if theirs.Has(flag) != mine.Has(flag) || theirs.Last(flag) != mine.Last(flag) {
			t.Errorf("%s: kube-controller-manager has --%s=%q (%t), kcmArgs %q (%t)", host, flag, theirs.Last(flag), theirs.Has(flag), mine.Last(flag), mine.Has(flag))
		}
	}
}

// lines returns a cloud config without blanks, empty lines and empty sections, because rke's
// writer aligns the equals signs.
func lines(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(line), ""); line != "" {
			out = append(out, line)
		}
	}
	if len(out) == 1 && strings.HasPrefix(out[0], "[") {
		return ""
	}
	return strings.Join(out, "\n")
}

// realFiles returns cluster.yml files in several styles: those of the fixture and of the
// editor's tests, with the keys that rke requires.
func realFiles(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, name := range rkefixture.Names() {
		files[name+".yml"] = rkefixture.File(t, name+".yml")
	}
	for _, style := range []string{"aligned_comments", "anchors_elsewhere", "block_scalars", "comments_between", "controller_missing", "controller_tilde",
		"extra_args_empty", "flow_empty_inside", "quoted_keys", "separators", "services_null"} {
		raw, err := os.ReadFile(filepath.Join("clusterfile/yamltext/testdata/golden", style+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		_, before, _ := strings.Cut(string(raw), "=== before\n")
		before, _, _ = strings.Cut(before, "=== flag\n")
		text := before + "nodes:\n- {address: 10.0.0.1, user: rke, role: [controlplane, etcd]}\n- {address: 10.0.0.2, internal_address: 10.1.0.2, user: rke, role: [worker]}\n"
		if !strings.Contains(text, "kubernetes_version") {
			text += "kubernetes_version: v1.26.9-rancher1-1\n"
		}
		if configOf(t, text).CloudProvider.Name != "" {
			files[style] = []byte(text)
		}
		if style == "quoted_keys" {
			files[style+" with CRLF"] = []byte(strings.ReplaceAll(text, "\n", "\r\n"))
		}
	}
	if len(files) < 12 {
		t.Fatalf("%d files", len(files))
	}
	return files
}

// TestRealRKE edits files of many styles and lets the real rke resolve them at every stage. rke
// must use the intended provider, flag and names, and the arguments that this package computes.
func TestRealRKE(t *testing.T) {
	r := newRealRKE(t)
	for name, text := range realFiles(t) {
		t.Run(name, func(t *testing.T) {
			file := parsed(t, text)
			flagged, err := enableEdit(file)
			if err != nil {
				t.Fatal(err)
			}
			switched, err := switchEdit(parsed(t, flagged.After), naming.Rule{UseMetadata: true}, flagged.Made)
			if err != nil {
				t.Fatal(err)
			}
			byFile, err := switchEdit(parsed(t, flagged.After), naming.Rule{}, flagged.Made)
			if err != nil {
				t.Fatal(err)
			}
			for _, stage := range []struct {
				name, provider, flag string
				text                 []byte
			}{
				{"before", "aws", "", text}, {"after enable", "aws", "true", flagged.After},
				{"after switch, metadata", "external", "", switched.After}, {"after switch, names of the file", "external", "", byFile.After},
			} {
				state, hosts := r.resolve(t, stage.text)
				if got := state.Services.KubeController.ExtraArgs[component.EnableLeaderMigration]; state.Provider() != stage.provider || got != stage.flag {
					t.Errorf("%s: provider %q and flag %q, wanted %q and %q", stage.name, state.Provider(), got, stage.provider, stage.flag)
				}
				agree(t, stage.text, state, hosts)
				if t.Failed() {
					t.Fatalf("%s:\n%s", stage.name, stage.text)
				}
			}
		})
	}
}

// TestRealRKETraps covers files that rke handles other than they appear. resolved is the
// resolved provider; refuses is the error of rke.
func TestRealRKETraps(t *testing.T) {
	r := newRealRKE(t)
	for name, tt := range map[string]struct{ version, provider, resolved, refuses string }{
		"an empty block wins over the name":           {"v1.26.9-rancher1-1", "{name: external-aws, awsCloudProvider: {}}", "aws", ""},
		"a null block is none":                        {"v1.26.9-rancher1-1", "{name: external-aws, awsCloudProvider: }", "external-aws", ""},
		"a block needs no name":                       {"v1.26.9-rancher1-1", "{awsCloudProvider: {global: {vpc: vpc-1}}}", "aws", ""},
		"an empty block from 1.27 on":                 {"v1.27.13-rancher1-1", "{name: external-aws, awsCloudProvider: {}}", "", "Cloud provider aws is invalid"},
		"in-tree from 1.27 on":                        {"v1.27.13-rancher1-1", "{name: aws}", "", "Cloud provider aws is invalid"},
		"custom text keeps the name, despite a block": {"v1.26.9-rancher1-1", `{name: external-aws, awsCloudProvider: {}, customCloudProvider: "[Global]\nVPC = vpc-1"}`, "external-aws", ""},
		"custom text in-tree":                         {"v1.26.9-rancher1-1", `{name: aws, customCloudProvider: "[Global]\nVPC = vpc-1"}`, "aws", ""},
		"custom text without a name":                  {"v1.26.9-rancher1-1", `{customCloudProvider: "[Global]\nVPC = vpc-1"}`, "", "name of the cloud provider is not defined"},
		"no version, external":                        {`""`, "{name: external-aws}", "external-aws", ""},
		"no version, in-tree":                         {`""`, "{name: aws}", "", "Cloud provider aws is invalid"},
		"a service_override":                          {"v1.26.9-rancher1-1", `{name: aws, awsCloudProvider: {service_override: {"1": {service: ec2}}}}`, "", "Failed to parse AWS cloud config"},
		"a service_override without values":           {"v1.26.9-rancher1-1", `{name: aws, awsCloudProvider: {service_override: {"1": {}}}}`, "", "Failed to parse AWS cloud config"},
		"an empty service_override":                   {"v1.26.9-rancher1-1", `{name: aws, awsCloudProvider: {service_override: {}}}`, "aws", ""},
		"a service_override and custom text":          {"v1.26.9-rancher1-1", `{name: aws, awsCloudProvider: {service_override: {"1": {service: ec2}}}, customCloudProvider: "[Global]\nVPC = vpc-1"}`, "aws", ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := fmt.Appendf(nil, "nodes: [{address: 10.0.0.1, user: rke, role: [etcd, controlplane, worker]}]\nkubernetes_version: %s\ncloud_provider: %s\n", tt.version, tt.provider)
			raw, said := r.init(t, text)
			if tt.refuses != "" {
				if raw != nil || !strings.Contains(said, tt.refuses) {
					t.Errorf("rke did not refuse it with %q: %s", tt.refuses, said)
				}
				return
			}
			state, hosts := r.read(t, raw, said, text)
			if state.CloudProvider.Name != tt.resolved {
				t.Errorf("rke takes %q, wanted %q", state.CloudProvider.Name, tt.resolved)
			}
			if version := configOf(t, string(text)).KubernetesVersion; version == "" && state.KubernetesVersion == "" || version != "" && state.KubernetesVersion != version {
				t.Errorf("rke takes Kubernetes %q", state.KubernetesVersion)
			}
			agree(t, text, state, hosts)
		})
	}
}

func parsed(t *testing.T, text []byte) *clusterfile.File {
	t.Helper()
	f, err := clusterfile.Parse("cluster.yml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f
}
