package sim

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// forge adds an intent with another inverse to the journal, after the last intent of a step.
func forge(t *testing.T, w *World, namespace, step, inverse string) {
	t.Helper()
	server := w.mgmt
	if server == nil {
		server = w.down
	}
	journal := server.get("configmaps", namespace, "awsmigrate-demo")
	data := mapAt(journal, "data")
	var state object
	if err := json.Unmarshal([]byte(text(data, "journal.json")), &state); err != nil {
		t.Fatal(err)
	}
	intents, _ := state["intents"].([]any)
	for i, one := range slices.Backward(intents) {
		old, _ := one.(map[string]any)
		if old["step"] != step || old["inverse"] == nil {
			continue
		}
		forged := object{}
		for key, value := range old {
			forged[key] = value
		}
		var content any
		if err := json.Unmarshal([]byte(inverse), &content); err != nil {
			t.Fatal(err)
		}
		forged["inverse"] = content
		state["intents"] = slices.Insert(intents, i+1, any(forged))
		changed, err := json.Marshal(state)
		if err != nil {
			t.Fatal(err)
		}
		rewriteJournalIn(server, w, namespace, func(string) string { return string(changed) })
		return
	}
	t.Fatalf("the journal has no inverse of %s", step)
}

// A writer of the journal cannot make an undo write anything except a migration's writes: the undo
// ends before its first write.
func TestForgedInversesAreNotWritten(t *testing.T) {
	const before = `"0000000000000000000000000000000000000000000000000000000000000000"`
	for name, tt := range map[string]struct {
		world     func() *World
		namespace string
		step      string
		inverse   string
		seen      string
	}{
		"an image": {NewRKE2, fleet, "switch-provider",
			`{"version":1,"undo":[{"kind":"value","where":{"global":true,"entry":0,"nth":0,"of":0},"key":"kube-apiserver-image","was":{"value":"evil/apiserver:1"}}]}`, "machineGlobalConfig.kube-apiserver-image"},
		"an argument": {NewRKE2, fleet, "enable-leader-migration",
			`{"version":1,"undo":[{"kind":"arguments","where":{"global":true,"entry":0,"nth":0,"of":0},"key":"kube-apiserver-arg","removed":[{"at":0,"value":"anonymous-auth=true"}],"form":"list","now":"absent","digest":` + before + `}]}`, "kube-apiserver-arg"},
		"another line of the file": {NewRKE, kubeSystem, "switch-provider",
			`{"before":` + before + `,"after":` + before + `,"changes":[{"path":["services","kubelet","image"],"value":"x","style":"plain"}]}`, "services.kubelet.image"},
		"another file": {NewRKE, kubeSystem, "enable-leader-migration", `{"before":"../../etc/passwd","after":` + before + `}`, "SHA-256"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := tt.world()
			if ended := do(t, Run{ID: runID(1)}, w); ended.Err != nil {
				t.Fatal(ended.Err)
			}
			forge(t, w, tt.namespace, tt.step, tt.inverse)
			dump := w.Dump()
			ended := do(t, Run{ID: runID(2), Undo: true}, w)
			e, _ := fault.As(ended.Err)
			if e == nil || e.Class != fault.Stale || e.Reason != "JournalBroken" {
				t.Fatalf("ended with %v", ended.Err)
			}
			if said := ended.Err.Error(); !strings.Contains(said, tt.seen) || !strings.Contains(said, "ConfigMap "+tt.namespace+"/awsmigrate-demo") || !strings.Contains(said, "nothing was written") {
				t.Errorf("the error is %s", said)
			}
			for name, was := range dump {
				if is := w.Dump()[name]; is != was && !strings.Contains(name, " leases") && !strings.Contains(name, "awsmigrate-demo") {
					t.Errorf("%s was changed all the same: %s", name, is)
				}
			}
		})
	}
}
