package journal

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

func fullState() State {
	return State{
		Schema: Schema, Commit: "r/1", Target: Target{Kind: "rke2", Name: "demo", Namespace: "fleet-default", UID: "u"},
		Runs:      []Run{{ID: "r", Command: "c", Who: "w", Start: "s", End: "e", Outcome: "stopped", Step: "x", Reason: "y"}},
		Approvals: []Approval{{Run: "r", Who: "w", Time: "t", Step: "x", Plan: "p"}},
		Pause:     &Pause{Run: "r", Step: "x", Time: "t", Done: "d"},
		Intents:   []Intent{{Step: "x", What: "w", Object: "o", Inverse: json.RawMessage(`{"add":["a"]}`), Token: "4", Time: "t", Run: "r"}},
		Notes:     map[string]json.RawMessage{"fingerprint": json.RawMessage(`["n"]`)},
	}
}

func compactAll(st State) State {
	b, _ := json.Marshal(st)
	var out State
	_ = json.Unmarshal(b, &out)
	return out
}

func TestEncode_anyState_decodesEqual(t *testing.T) {
	in := fullState()
	content, err := encode(in, "o")
	if err != nil {
		t.Fatal(err)
	}
	out, err := decode(content, "o")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(in, compactAll(out)); d != "" {
		t.Error(d)
	}
}

func TestDecode_invalidJournal_isRefused(t *testing.T) {
	good, err := encode(fullState(), "ConfigMap a/b")
	if err != nil {
		t.Fatal(err)
	}
	resum := func(text string) storedJournal {
		return storedJournal{text: text, sum: sumOf(text)}
	}
	for name, c := range map[string]struct {
		in    storedJournal
		class fault.Class
		text  string
	}{
		"empty":             {storedJournal{}, fault.Stale, "holds no journal"},
		"truncated":         {resum(good.text[:len(good.text)/2]), fault.Stale, "truncated"},
		"newer schema":      {resum(strings.Replace(good.text, "journal/v1", "journal/v2", 1)), fault.Stale, "newer"},
		"something else":    {resum(`{"schema":"example.com/v1"}`), fault.Usage, "the owner of this object"},
		"no schema":         {resum(`{"a":1}`), fault.Usage, "the owner of this object"},
		"an unknown field":  {resum(strings.Replace(good.text, `"commit"`, `"later":1,"commit"`, 1)), fault.Stale, "does not follow"},
		"edited by hand":    {storedJournal{text: strings.Replace(good.text, `"w"`, `"v"`, 1), sum: good.sum}, fault.Stale, "changed by something other"},
		"no zip":            {storedJournal{packed: []byte("zip?"), sum: good.sum}, fault.Stale, "cannot be unpacked"},
		"a list, no object": {resum(`[]`), fault.Stale, "no JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := decode(c.in, "ConfigMap a/b")
			faulty.WantClass(t, err, c.class, "ConfigMap a/b", c.text)
		})
	}
}

// incompressible returns notes that compress badly, like UIDs.
func nodesNote(n int) json.RawMessage {
	r := rand.New(rand.NewPCG(1, 2))
	type node struct{ Name, UID, ProviderID string }
	var nodes []node
	for range n {
		nodes = append(nodes, node{
			fmt.Sprintf("ip-10-%d-%d-%d.ec2.internal", r.IntN(256), r.IntN(256), r.IntN(256)),
			fmt.Sprintf("%016x-%016x", r.Uint64(), r.Uint64()),
			fmt.Sprintf("aws:///us-east-1a/i-0%016x", r.Uint64()),
		})
	}
	raw, _ := json.Marshal(nodes)
	return raw
}

func TestEncode_largeJournal_isPackedAndBounded(t *testing.T) {
	st := fullState()
	st.Notes["fingerprint"] = nodesNote(5000)
	content, err := encode(st, "o")
	if err != nil {
		t.Fatal(err)
	}
	if content.text != "" || len(content.packed) == 0 || len(content.packed) > maxStored {
		t.Fatalf("%d bytes of text, %d packed", len(content.text), len(content.packed))
	}
	out, err := decode(content, "o")
	if err != nil || !SameJSON(out.Notes["fingerprint"], st.Notes["fingerprint"]) {
		t.Fatalf("lost in packing: %v", err)
	}
	st.Notes["fingerprint"] = nodesNote(60000)
	_, err = encode(st, "ConfigMap a/b")
	faulty.WantClass(t, err, fault.Check, "ConfigMap a/b", "does not fit")
}

func TestCompact_longHistory_keepsIntents(t *testing.T) {
	st := fullState()
	for i := range 300 {
		st.Runs = append(st.Runs, Run{ID: fmt.Sprint(i)})
		st.Approvals = append(st.Approvals, Approval{Run: fmt.Sprint(i)})
		st.Intents = append(st.Intents, Intent{Object: fmt.Sprint(i)})
	}
	content, err := encode(st, "o")
	if err != nil {
		t.Fatal(err)
	}
	out, err := decode(content, "o")
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Runs) != maxRuns || out.Runs[maxRuns-1].ID != "299" || len(out.Approvals) != maxApprovals || len(out.Intents) != 301 {
		t.Errorf("%d runs, %d approvals, %d intents", len(out.Runs), len(out.Approvals), len(out.Intents))
	}
}

func TestEncode_privateKey_isRefused(t *testing.T) {
	st := fullState()
	st.Notes["oops"] = json.RawMessage(`"-----BEGIN RSA PRIVATE KEY-----\nMII"`)
	if _, err := encode(st, "o"); err == nil {
		t.Error("a private key was encoded")
	}
}
