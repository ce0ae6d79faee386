package target

import (
	"testing"
)

func TestNextCommandsNameTheTarget(t *testing.T) {
	words := (&reachFlags{cluster: "demo", namespace: "c-1", kubeconfig: "/home/a b/config", kubeContext: "it's"}).again()
	if got, want := words.Status(), `awsmigrate rke2 status --cluster demo --namespace c-1 --kubeconfig '/home/a b/config' --context 'it'\''s'`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
