package target

import (
	"testing"
)

func TestNextCommandsNameTheTarget(t *testing.T) {
	words := reach{Cluster: "demo", Namespace: "c-1", Kubeconfig: "/home/a b/config", Context: "it's"}.rke2Words()
	if got, want := words.Status(), `awsmigrate rke2 status --cluster demo --namespace c-1 --kubeconfig '/home/a b/config' --context 'it'\''s'`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestReportNamesTheRun(t *testing.T) {
	words := Words{Command: "rke", Args: []string{"--config", "my cluster.yml"}}
	if got := words.Report("r1"); got != "awsmigrate report --config 'my cluster.yml' --run r1" {
		t.Error(got)
	}
}

// A next command begins with the words that the user typed to start the program.
func TestWordsBeginAsTyped(t *testing.T) {
	words := Words{Command: "rke2", Args: []string{"--cluster", "demo"}}
	if got := words.by(Program{"kubectl", "awsmigrate"}).Undo(); got != "kubectl awsmigrate rke2 undo --cluster demo" {
		t.Errorf("as a plugin: %s", got)
	}
	if got := words.Run(); got != "awsmigrate rke2 --cluster demo" {
		t.Errorf("as a program: %s", got)
	}
}
