package checks

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// A name that contains a command stays one word in every fix: a shell runs only the tools that
// the fix names.
func TestNamesInFixesAreWords(t *testing.T) {
	file := filepath.Join(t.TempDir(), "touched")
	evil := "$(touch " + file + ")`touch " + file + "`;touch " + file + ";'touch " + file + "'"
	in := healthy(t, position.P0)
	in.Fingerprint = nil
	for i := range in.Nodes.Value {
		n := node(&in, i)
		n.Name, n.Unschedulable = evil, true
		n.Annotations[downstream.AnnotationOurs] = "run"
		n.Labels[downstream.LabelZone] = "us-east-1z"
		n.Taints = []downstream.Taint{{Key: downstream.TaintOutOfService, Effect: "NoExecute"}}
		instance(&in, i, func(i *cloud.Instance) { i.Tags, i.HTTPTokens = cloud.Tags{cloud.TagCluster + "demo": ""}, "required" })
	}
	in.Workloads = verify.Got([]downstream.Workload{{Object: downstream.Object{Kind: "Deployment", Namespace: evil, Name: evil}, Replicas: 1,
		Containers: []downstream.Container{{Args: []string{"kube-controller-manager", "--cloud-provider=aws"}}}}})
	in.Releases = verify.Got([]downstream.Release{{Namespace: evil, Name: wellknown.CCM, Status: "deployed"}})
	in.Charts = verify.Got([]downstream.Chart{{Object: downstream.Object{Kind: "HelmChart", Namespace: evil, Name: evil}}})
	in.CCMObjects = verify.Got([]downstream.Object{{Kind: "ServiceAccount", Namespace: evil, Name: evil}})
	commands := 0
	for _, res := range verify.RunAll(t.Context(), verify.Bind(in, append(Alone(), all()...)...), verify.Options{Position: position.P0}).Results {
		for _, f := range res.Findings {
			m := anyCommand.FindStringSubmatch(f.Fix)
			if m == nil {
				continue
			}
			commands++
			cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", m[1])
			cmd.Env = []string{"PATH=/nonexistent:" + filepath.Dir(lookPath(t, "touch"))}
			for _, name := range []string{"kubectl", "helm", "aws"} { // stubs that do nothing
				dir := t.TempDir()
				if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
					t.Fatal(err)
				}
				cmd.Env[0] = strings.Replace(cmd.Env[0], "PATH=", "PATH="+dir+":", 1)
			}
			_ = cmd.Run() // the exit code does not matter
			if _, err := os.Stat(file); err == nil {
				t.Fatalf("%s runs a command of its own: %s", res.ID, m[1])
			}
		}
	}
	if commands < 4 {
		t.Errorf("%d commands, want more", commands)
	}
}

func lookPath(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
