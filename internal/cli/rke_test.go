package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/testing/golden"
)

const clusterYML = `# kept in git
cluster_name: prod
kubernetes_version: v1.26.9-rancher1-1   # pinned
nodes:
  - {address: 10.0.0.1, user: ubuntu, role: [controlplane, etcd]}
services:
  kube-controller:
    extra_args:
      node-monitor-period: "5s"
cloud_provider:
    name: aws
    awsCloudProvider:
      global:
        role-arn: arn:aws:iam::1:role/x
`

// command runs a command line in its own folder, and returns the files there.
func command(t *testing.T, files map[string]string, args ...string) (code int, out, err string, left []string) {
	t.Helper()
	t.Setenv("RKE_CONFIG", "")
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "another-cluster"))
	t.Chdir(t.TempDir())
	for name, text := range files {
		if e := os.WriteFile(name, []byte(text), 0o600); e != nil {
			t.Fatal(e)
		}
	}
	var stdout, stderr bytes.Buffer
	code = Main(t.Context(), args, console.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Env: func(string) string { return "" }})
	entries, e := os.ReadDir(".")
	if e != nil {
		t.Fatal(e)
	}
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	return code, stdout.String(), stderr.String(), left
}

func TestRKEOfflinePlan(t *testing.T) {
	files := map[string]string{"cluster.yml": clusterYML}
	var shown string
	t.Run("text", func(t *testing.T) {
		code, out, errs, left := command(t, files, "rke", "plan", "--config", "cluster.yml", "--offline")
		if shown = out + "--- stderr\n" + errs; code != 0 || !slices.Equal(left, []string{"cluster.yml"}) {
			t.Errorf("exit %d, left %v", code, left)
		}
	})
	golden.Require(t, "rke-offline.txt", shown)
	code, out, _, _ := command(t, files, "rke", "plan", "--config", "cluster.yml", "--offline", "-o", "json")
	var plan struct {
		Kind  string
		Steps []struct {
			ID      string
			Changes []struct{ SHA256 string }
		}
	}
	if err := json.Unmarshal([]byte(out), &plan); err != nil || code != 0 || plan.Kind != "Plan" || len(plan.Steps) != 2 {
		t.Fatalf("exit %d, %v\n%s", code, err, out)
	}
	last := plan.Steps[1].Changes[0]
	if want := strings.NewReplacer("    name: aws\n    awsCloudProvider:\n      global:\n        role-arn: arn:aws:iam::1:role/x\n",
		"    useInstanceMetadataHostname: true\n    name: external-aws\n").Replace(clusterYML); last.SHA256 != fmt.Sprintf("%x", sha256.Sum256([]byte(want))) {
		t.Errorf("hash %s is not that of\n%s", last.SHA256, want)
	}
}

// Contradictory input is refused before anything is contacted or written.
func TestRKERefusesBadInput(t *testing.T) {
	for name, tt := range map[string]struct {
		file string
		args []string
		says []string
	}{
		"no file named":            {args: []string{}, says: []string{"--config"}},
		"no such file":             {args: []string{"--config", "none.yml"}, says: []string{"none.yml"}},
		"a folder":                 {args: []string{"--config", "."}, says: []string{"file"}},
		"two documents":            {file: "a: 1\n---\nb: 2\n", says: []string{"cluster.yml:2"}},
		"Rancher's YAML":           {file: "rancher_kubernetes_engine_config:\n  cloud_provider:\n    name: aws\n", says: []string{"cluster.yml:1", "Rancher"}},
		"tabs":                     {file: "services:\n\tkubelet: {}\n", says: []string{"cluster.yml:2"}},
		"template":                 {file: "nodes: {{ nodes }}\n", says: []string{"cluster.yml:1"}},
		"empty":                    {file: "\n", says: []string{"cluster.yml"}},
		"duplicate on path":        {file: "services:\n  kubelet: {}\nservices:\n  etcd: {}\n", says: []string{"cluster.yml:3"}},
		"not YAML":                 {file: "a: [\n", says: []string{"cluster.yml"}},
		"update-only":              {file: clusterYML, args: []string{"--rke-arg=--update-only"}, says: []string{"--update-only"}},
		"no kubeconfig next to it": {file: clusterYML, says: []string{"kube_config_cluster.yml"}},
		"unknown output":           {file: clusterYML, args: []string{"-o", "xml"}, says: []string{"--output"}},
		"end state":                {file: clusterYML, args: []string{"--end-state", "external"}, says: []string{"--end-state"}},
	} {
		t.Run(name, func(t *testing.T) {
			args, files := []string{"rke", "--yes"}, map[string]string{}
			if tt.file != "" {
				files["cluster.yml"] = tt.file
				args = append(args, "--config", "cluster.yml")
			}
			code, out, errs, left := command(t, files, append(args, tt.args...)...)
			for _, part := range tt.says {
				if !strings.Contains(errs+out, part) {
					t.Errorf("%q is not in %s%s", part, out, errs)
				}
			}
			if code != 2 || len(left) != len(files) {
				t.Errorf("exit %d, left %v\n%s%s", code, left, out, errs)
			}
		})
	}
}
