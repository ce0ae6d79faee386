package recording

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// A recorded change is its diff, limited and without secrets. Of a user's file, lines around
// the edit keep only their keys.
func TestEditsHoldNoSecret(t *testing.T) {
	long := strings.Repeat("+ line\n", maxLines+7)
	for name, tt := range map[string]struct {
		change runner.Change
		want   string
		left   int
	}{
		"a field": {runner.Change{Diff: "    kept: 1\n  - cloud-provider-name: aws\n  + cloud-provider-name: external\n", Before: "secret", After: "secret"},
			"  kept: 1\n- cloud-provider-name: aws\n+ cloud-provider-name: external", 0},
		"values":             {runner.Change{Before: false, After: true}, "- false\n+ true", 0},
		"a value that comes": {runner.Change{After: 4}, "+ 4", 0},
		"no plain values":    {runner.Change{Before: map[string]any{"password": "hunter2"}, After: true}, "", 0},
		"a file": {runner.Change{Form: runner.FileDiff, Result: "whole: text", Diff: "--- c.yml\n+++ c.yml\n@@ -1,6 +1,6 @@\n nodes:\n - address: 10.0.0.1\n   ssh_key: |-\n     c2hvcnQ=\n cloud_provider:\n-  name: aws\n+  name: external-aws\n     password: hunter2\n"},
			"@@ -1,6 +1,6 @@\n nodes:\n - address: …\n   ssh_key: …\n     …\n cloud_provider:\n-  name: aws\n+  name: external-aws\n     password: …", 0},
		"an object":    {runner.Change{Form: runner.ObjectDiff, Diff: "--- a\n+++ a\n@@ -0,0 +1,2 @@\n+kind: ConfigMap\n+  secretKey: hunter2\n"}, "@@ -0,0 +1,2 @@\n+kind: ConfigMap\n+  secretKey: REDACTED", 0},
		"a terminal's": {runner.Change{Diff: "+ a\x1b[31mb\n"}, "+ a·[31mb", 0},
		"a long one":   {runner.Change{Diff: long}, strings.TrimSuffix(strings.Repeat("+ line\n", maxLines), "\n"), 7},
	} {
		got := editEntries(record.Step{Run: "r1", ID: "switch-provider"}, []runner.Change{tt.change}, true)
		if len(got) != 1 || got[0].Edit.Diff != tt.want || got[0].Edit.Left != tt.left || !got[0].Edit.Written || got[0].Edit.Step != "switch-provider" || got[0].Edit.Run != "r1" {
			t.Errorf("%s: %q, %d left, wanted %q, %d", name, got[0].Edit.Diff, got[0].Edit.Left, tt.want, tt.left)
		}
	}
}

// Words in a file that are not keys may be secret, too.
func TestKeyAlone(t *testing.T) {
	for line, want := range map[string]string{
		" name: x": " name: …", " a-b.c/d:": " a-b.c/d:", "   - role: etcd": "   - role: …", "   - etcd": "   …", " # password is hunter2": " …", "-  name: aws": "-  name: aws", "": "", " ": " ",
	} {
		if got := keyAlone(line); got != want {
			t.Errorf("%q: %q, wanted %q", line, got, want)
		}
	}
}
