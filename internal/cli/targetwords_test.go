package cli

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

func TestNextCommandsNameTheTarget(t *testing.T) {
	words := (&targetFlags{cluster: "demo", namespace: "c-1", kubeconfig: "/home/a b/config", kubeContext: "it's"}).again()
	if got, want := words.status(), `awsmigrate rke2 status --cluster demo --namespace c-1 --kubeconfig '/home/a b/config' --context 'it'\''s'`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	target := commands(words)
	todo := runner.Observation{States: map[runner.StepID]runner.State{"x": {Kind: runner.Todo}}}
	if got := target.Next(todo); !strings.HasPrefix(got, "awsmigrate rke2 --cluster demo") {
		t.Errorf("steps are left, and the next command is %s", got)
	}
	if got := target.Next(runner.Observation{}); !strings.HasPrefix(got, "awsmigrate rke2 status ") {
		t.Errorf("nothing is left, and the next command is %s", got)
	}
}
