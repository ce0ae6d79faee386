package runview

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

func changesOfAnUndo() []runner.Change {
	return []runner.Change{
		{Object: "Cluster c-1 (demo)", Location: "spec.rancherKubernetesEngineConfig.services.kubelet.image", After: "evil/kubelet:1", Diff: "+ evil/kubelet:1\n"},
		{Object: "file cluster.yml", Form: runner.FileDiff, Diff: "--- cluster.yml\n+++ cluster.yml\n@@ -1,2 +1,3 @@\n cloud_provider:\n-  name: external-aws\n+  # old\n+  name: aws\n+      role-arn: SECRET\n"},
		{Object: "Deployment kube-system/x", Form: runner.ObjectDiff, Diff: "-a\n"},
	}
}

func TestTextView_undo_without_a_question_names_every_write(t *testing.T) {
	for undoing, want := range map[bool]int{true: 5, false: 0} {
		var out strings.Builder
		v := newTextView(Output{}, view.Commands{Undoing: undoing}, &out)
		v.Emit(runner.Event{Type: runner.StepStarted, Step: "undo-switch-provider", Changes: changesOfAnUndo()})
		if got := strings.Count(out.String(), "writes "); got != want {
			t.Errorf("undoing %t: %d lines, want %d:\n%s", undoing, got, want, out.String())
		}
	}
}
