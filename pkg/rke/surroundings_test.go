package rke

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
)

// The state has the names of Rancher's Cluster object, too.
func TestSurroundingsOf_state(t *testing.T) {
	state, err := rkestate.Parse("test", []byte(`{"currentState": {"rkeConfig": {"services": {"kubeController": {
		"extraEnv": ["HTTPS_PROXY=http://a=b", "AWS_REGION=r", "no value"],
		"extraBinds": ["/host/ca.pem:/etc/pki/ca.pem:ro", "/home/a/.aws/:/root/.aws/", "volume:/x", "/alone"]}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := ccmchart.Surroundings{Literal: true, Env: []ccmchart.Variable{{Name: "HTTPS_PROXY", Value: "http://a=b"}, {Name: "AWS_REGION", Value: "r"}},
		Binds: []ccmchart.Bind{{Host: "/etc/kubernetes", Path: "/etc/kubernetes"}, {Host: "/host/ca.pem", Path: "/etc/pki/ca.pem"}, {Host: "/home/a/.aws/", Path: "/root/.aws"}}}
	if d := cmp.Diff(want, surroundingsOf(state.Current.Config.Services.KubeController)); d != "" {
		t.Error(d)
	}
}

func TestHideEnv_unchangedLines(t *testing.T) {
	const before = "--- a\n+++ a\n@@ -1 +1 @@\n     extra_env:\n     - \"KEY=seCret\"\n     - KEY=seCret\n     - plain\n+    - A=b\n     extra_env: [\"K=seCret\"]\n       node: \"5s\"\n"
	const want = "--- a\n+++ a\n@@ -1 +1 @@\n     extra_env:\n     - \"KEY=(not shown)\n     - KEY=(not shown)\n     - plain\n+    - A=b\n     extra_env: (not shown)\n       node: \"5s\"\n"
	if d := cmp.Diff(want, hideEnv(before)); d != "" {
		t.Error(d)
	}
}
