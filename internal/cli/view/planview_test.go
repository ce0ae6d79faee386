package view

import (
	"bytes"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// The changed lines of cluster.yml are shown without --diff, because the user approves them.
func TestWritePlan_fileChange_linesShown(t *testing.T) {
	edit := runner.Change{Object: "file cluster.yml", Diff: "--- cluster.yml\n+++ cluster.yml\n@@ -1 +1 @@\n-name: aws\n+name: external-aws\n", Result: "name: external-aws\n", Form: runner.FileDiff}
	rendered := runner.Change{Object: "Deployment x", Diff: "--- Deployment x\n+++ Deployment x\n@@ -1 +1 @@\n-a\n+b\n", Form: runner.ObjectDiff}
	field := runner.Change{Object: "Cluster demo", Location: "spec.x", Diff: "--- a\n+++ b\n"} // its values begin with dashes
	var out strings.Builder
	WritePlan(console.Streams{Out: &out}, nil, []runner.PlannedStep{{Info: runner.Info{ID: "switch-provider"}, Plan: runner.Plan{Changes: []runner.Change{edit, rendered, field}}, State: runner.State{Kind: runner.Todo}}}, false)
	if got := out.String(); !strings.Contains(got, "+name: external-aws") || !strings.Contains(got, "~ Deployment x (+1 −1)") || strings.Contains(got, "\n  +b") || !strings.Contains(got, "spec.x\n  --- a\n  +++ b\n") {
		t.Error(got)
	}
}

// A change that its row describes has no block, and an empty plan does not mention going back.
func TestWritePlan_noChange_noBlock(t *testing.T) {
	var out bytes.Buffer
	step := runner.PlannedStep{Info: runner.Info{ID: "cordon"}, State: runner.State{Kind: runner.Todo}, Plan: runner.Plan{Summary: []string{"cordon a"},
		Changes: []runner.Change{{Object: "Node a", Location: "spec.unschedulable", Before: false, After: true}}}}
	WritePlan(console.Streams{Out: &out}, []string{"demo"}, []runner.PlannedStep{step}, true)
	if strings.Contains(out.String(), "unschedulable") || !strings.Contains(out.String(), "cordon a") {
		t.Errorf("an empty change:\n%s", out.String())
	}
	out.Reset()
	WritePlan(console.Streams{Out: &out}, []string{"demo"}, nil, true)
	if strings.Contains(out.String(), "irreversible") {
		t.Errorf("no step, and yet:\n%s", out.String())
	}
}
