package runner

import (
	"slices"
	"testing"
)

func TestPlaces(t *testing.T) {
	for name, tt := range map[string]struct {
		change Change
		want   []string
	}{
		"a field": {Change{Location: "spec.rkeConfig.machineGlobalConfig.kube-apiserver-image", Diff: "+ evil/apiserver:1\n"}, []string{"spec.rkeConfig.machineGlobalConfig.kube-apiserver-image"}},
		"a file": {Change{Form: FileDiff, Diff: "--- c.yml\n+++ c.yml\n@@ -1,2 +1,3 @@\n cloud_provider:\n-  name: external-aws\n+  # old\n+  name: aws\n+      role-arn: SECRET\n"},
			[]string{"- name", "+ a comment", "+ name", "+ role-arn"}},
		"a file without a diff": {Change{Form: FileDiff}, nil},
		"a chart's object":      {Change{Form: ObjectDiff, Diff: "-a\n"}, nil},
	} {
		if got := tt.change.Places(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
