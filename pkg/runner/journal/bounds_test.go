package journal

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// largestState returns the largest valid journal: a long history, intents with inverse
// edits, the fingerprint of 5,000 Nodes.
func largestState() State {
	st := fullState()
	for i := range 1000 {
		run := fmt.Sprintf("20261125T09%06dZ", i)
		st.Runs = append(st.Runs, Run{ID: run, Command: "awsmigrate rke2 --cluster demo", Start: "s", Outcome: "done", Verified: make([]StepID, 15)})
		st.Approvals = append(st.Approvals, Approval{Run: run, Time: "t", Plan: strings.Repeat("f", 64)})
		st.Intents = append(st.Intents, Intent{Step: "switch-provider", What: "patch Cluster fleet-default/demo", Object: "Cluster fleet-default/demo", Run: run,
			Inverse: json.RawMessage(`{"places":[{"path":"spec.rkeConfig.machineGlobalConfig.kube-controller-manager-arg","add":["a"],"remove":["b"]}]}`)})
	}
	st.Notes["fingerprint"] = nodesNote(5000)
	return st
}

// packedText returns a journal's object with any text.
func packedText(t *testing.T, text string) *corev1.ConfigMap {
	t.Helper()
	packed, err := pack([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "b", Namespace: "a"}, Data: map[string]string{keySum: sumOf(text)}, BinaryData: map[string][]byte{keyPacked: packed}}
}

// ofSize returns a journal whose list under key has n empty objects.
func ofSize(key string, n int) string {
	return `{"schema":"` + Schema + `","commit":"c","target":{},"` + key + `":[{}` + strings.Repeat(",{}", n-1) + `]}`
}

func TestEncode_largestHonestState_isReadAgain(t *testing.T) {
	content, err := encode(largestState(), "o")
	if err != nil {
		t.Fatal(err)
	}
	out, err := decode(content, "o")
	if err != nil || len(out.Intents) != 1001 || !SameJSON(out.Notes["fingerprint"], nodesNote(5000)) {
		t.Errorf("%d intents, %v", len(out.Intents), err)
	}
}

func TestEncode_moreThanReadable_isRefused(t *testing.T) {
	for name, note := range map[string]string{"values": "[0" + strings.Repeat(",0", textLimits().Values) + "]", "bytes": `"` + strings.Repeat("a", textLimits().Bytes) + `"`} {
		st := fullState()
		st.Notes["large"] = json.RawMessage(note)
		_, err := encode(st, "ConfigMap a/b")
		faulty.WantClass(t, err, fault.Check, "ConfigMap a/b", textLimits().String())
		if !fault.HasReason(err, "JournalTooLarge") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The memory for decoding is bounded for any content of the object.
func TestKept_atAndBeyondTheLimits_boundedMemory(t *testing.T) {
	const most = 80 << 20
	at := textLimits().Values - 5
	for name, tt := range map[string]struct {
		text    string
		refused bool
	}{
		"intents at the limit":       {ofSize("intents", at), false},
		"runs at the limit":          {ofSize("runs", at), false},
		"intents beyond":             {ofSize("intents", 10*at), true},
		"runs beyond":                {ofSize("runs", 10*at), true},
		"a text beyond":              {`{"schema":"` + strings.Repeat("a", 10*textLimits().Bytes) + `"}`, true},
		"notes of notes beyond":      {`{"schema":"` + Schema + `","notes":{"a":[` + strings.Repeat("[],", 10*at) + `[]]}}`, true},
		"lists in lists, and no end": {strings.Repeat("[", 2<<20), true},
	} {
		t.Run(name, func(t *testing.T) {
			cm := packedText(t, tt.text)
			if len(cm.BinaryData[keyPacked]) > 64<<10 {
				t.Fatalf("%d bytes are no bomb", len(cm.BinaryData[keyPacked]))
			}
			var err error
			used := faulty.Allocated(func() { _, err = Kept("ConfigMap a/b", cm) })
			t.Logf("%d kB compressed, %d MB decoded: %v", len(cm.BinaryData[keyPacked])>>10, used>>20, err)
			if used > most {
				t.Errorf("%d MB were allocated, wanted at most %d", used>>20, most>>20)
			}
			if !tt.refused && err != nil {
				t.Error(err)
			}
			if tt.refused {
				faulty.WantClass(t, err, fault.Stale, "ConfigMap a/b", "has more than", textLimits().String())
			}
		})
	}
}

func FuzzKept(f *testing.F) {
	f.Add([]byte(ofSize("intents", 3)))
	f.Add([]byte(ofSize("runs", 10*textLimits().Values)))
	f.Add([]byte(`{"schema":"` + Schema + `","notes":{"a":"\"[{\\"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		cm := packedText(t, string(text))
		if used := faulty.Allocated(func() { _, _ = Kept("o", cm) }); used > 80<<20 {
			t.Errorf("%d MB for %d bytes", used>>20, len(text))
		}
	})
}

// The fix must never ask to delete an object with other content.
func TestKept_foreignObject_fixKeepsIt(t *testing.T) {
	for name, data := range map[string]map[string]string{"empty": nil, "other keys": {"plan.json": "{}"}, "another schema": {keyText: `{"schema":"example.com/v1"}`}} {
		_, err := Kept("ConfigMap a/b", &corev1.ConfigMap{Data: data})
		faulty.WantClass(t, err, fault.Usage, "ConfigMap a/b")
		if strings.Contains(err.Error(), "delete") || strings.Contains(err.Error(), "remove") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDecode_journalOfAnotherName_fixKeepsIt(t *testing.T) {
	content, err := encode(fullState(), "o")
	if err != nil {
		t.Fatal(err)
	}
	cm := &corev1.ConfigMap{Data: map[string]string{keyText: content.text, keySum: content.sum}}
	for name, deletes := range map[string]bool{"demo": true, "demo-plan": false} {
		_, err := NewConfigMap(nil, "a", "b", Target{Name: name, UID: "another"}).decode(cm)
		faulty.WantClass(t, err, fault.Usage, `belongs to cluster "demo"`)
		if strings.Contains(err.Error(), "delete") != deletes {
			t.Errorf("%s: %v", name, err)
		}
	}
}
