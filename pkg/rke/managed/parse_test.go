package managed

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// randomManaged returns a configuration with random forms of the keys that edits change.
func randomManaged(r *rand.Rand) map[string]any {
	pick := func(from ...any) any { return from[r.IntN(len(from))] }
	c := uiConfig()
	provider := c["cloudProvider"].(map[string]any)
	for key, value := range map[string]any{
		"name":      pick("absent", "aws", "", nil, "external", "external-aws"),
		keyMetadata: pick("absent", true, false, nil),
		keyAWSBlock: pick("absent", nil, map[string]any{}, map[string]any{"global": map[string]any{"vpc": "vpc-1"}}),
	} {
		if provider[key] = value; value == "absent" {
			delete(provider, key)
		}
	}
	args := map[string]any{"v": "4", keyFlag: pick("true", "false", "True", "", true)}
	c["services"] = pick(nil, map[string]any{}, map[string]any{"kubeController": nil}, map[string]any{"kubeController": map[string]any{}},
		map[string]any{"kubeController": map[string]any{"extraArgs": nil}}, map[string]any{"kubeController": map[string]any{"extraArgs": args}},
		map[string]any{"kubeController": map[string]any{"extraArgs": map[string]any{keyFlag: "false"}}})
	if c["services"] == nil {
		delete(c, "services")
	}
	return c
}

func TestParseInverses_own_edits_accepted(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		config := randomManaged(r)
		if err := checkEditable("Cluster c-1", config); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		first := Enable(config)
		second := Switch(first.Apply(), naming.Rule{UseMetadata: r.IntN(2) == 0}, first.Made())
		for _, edit := range []Edit{first, second} {
			inverse, kept := inverseOf(t, edit) // parses
			back, err := TakeBack("Cluster c-1", edit.Apply(), inverse, kept)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			again, keptAgain := inverseOf(t, back)
			if forward, err := TakeBack("Cluster c-1", back.Apply(), again, keptAgain); err != nil || forward.Empty() != back.Empty() {
				t.Fatalf("seed %d: the inverse of an undo: %v, empty %t", seed, err, forward.Empty())
			}
		}
	}
}

// forgedInverse holds JSON that no edit of awsmigrate writes.
func forgedInverse(r *rand.Rand, i int) Inverse {
	pick := func(from ...any) any { return from[r.IntN(len(from))] }
	word := fmt.Sprintf("x%d", r.IntN(1000))
	flag, name, block := pointer(flagPath()), pointer([]string{"cloudProvider", "name"}), pointer([]string{"cloudProvider", keyAWSBlock})
	sum := strings.Repeat("0a", 32)
	odd := pick(word, map[string]any{word: "y"}, []any{word}, float64(7))
	switch i % 9 {
	case 0:
		return Inverse{Path: pointer([]string{"services", "kubelet", word}), Had: true, Before: "evil/kubelet:1"}
	case 1:
		return Inverse{Path: pointer([]string{"kubernetesVersion"}), Had: true, Before: word, Is: "v1.27.16-rancher1-1"}
	case 2:
		return Inverse{Path: flag, Had: true, Before: odd}
	case 3:
		return Inverse{Path: name, Had: true, Before: odd, Is: "external-aws"}
	case 4:
		return Inverse{Path: block, Had: true, Before: odd}
	case 5:
		return Inverse{Path: flag, Is: "true", Made: []string{pointer([]string{"services", word})}}
	case 6:
		return Inverse{Path: pointer([]string{"services", word}), Had: true, Pruned: true, SHA256: sum}
	case 7:
		return Inverse{Path: pick(flag, name).(string), Had: true, SHA256: sum}
	}
	return Inverse{Path: block, Had: true, SHA256: "../" + word}
}

func TestParseInverses_forged_refused(t *testing.T) {
	for seed := range 10_000 {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		raw, err := json.Marshal([]Inverse{forgedInverse(r, seed)})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := parseInverses(raw); err == nil {
			t.Fatalf("accepted as %+v: %s", got, raw)
		}
	}
	twice := `{"path": "` + pointer(flagPath()) + `", "had": false, "is": "true"}`
	for name, raw := range map[string]string{"nothing": "", "a mapping": "{}", "an unknown field": `[{"write": 1}]`, "more text": "[] []",
		"twice": "[" + twice + "," + twice + "]", "a large text": "[" + strings.Repeat(" ", maxInverse) + "]"} {
		if got, err := parseInverses(json.RawMessage(raw)); err == nil {
			t.Errorf("%s: accepted as %+v", name, got)
		}
	}
}

// FuzzParseInverses checks that accepted inverses only change keys of awsmigrate's edits.
func FuzzParseInverses(f *testing.F) {
	for seed := range uint64(20) {
		first := Enable(randomManaged(rand.New(rand.NewPCG(seed, 3))))
		for _, edit := range []Edit{first, Switch(first.Apply(), naming.Rule{}, first.Made())} {
			raw, err := edit.Inverse()
			if err != nil {
				f.Fatal(err)
			}
			f.Add(raw)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		inverse, err := parseInverses(raw)
		if err != nil {
			return
		}
		config := Switch(Enable(uiConfig()).Apply(), naming.Rule{}, nil).Apply()
		edit, err := TakeBack("Cluster c-1", config, inverse, func(string) (any, error) { return map[string]any{}, nil })
		if err != nil {
			return
		}
		for _, at := range edit.locations() {
			at = strings.TrimPrefix(at, "spec."+rkeConfigKey+".")
			if !strings.HasPrefix(at, "cloudProvider.") && !strings.HasPrefix("services.kubeController.extraArgs."+keyFlag, at) {
				t.Fatalf("changes %s", at)
			}
		}
	})
}

// The error holds the object and the path.
func TestTakeBack_forged_journal_refused(t *testing.T) {
	c := Cluster{ID: "c-1", Config: Switch(Enable(uiConfig()).Apply(), naming.Rule{}, nil).Apply()}
	snap := migration.Snapshot{Config: observed{cluster: c}}
	snap.Record = journal.State{Target: journal.Target{Name: "c-1", Namespace: "c-1"}, Intents: []journal.Intent{{Step: migration.StepSwitch, Object: c.object(), What: "patch " + c.object(),
		Inverse: json.RawMessage(`[{"path": "/spec/rancherKubernetesEngineConfig/services/kubelet/image", "had": true, "before": "evil/kubelet:1"}]`)}}}.Record()
	_, err := (&Backend{id: "c-1"}).undoStep(t.Context(), snap, c.Config, migration.StepSwitch)
	bad, is := fault.As(err)
	if !is || bad.Class != fault.Stale || bad.Reason != "JournalBroken" || bad.Object != "ConfigMap c-1/awsmigrate-c-1" ||
		!strings.Contains(bad.Seen, "services/kubelet/image") || !strings.Contains(bad.Seen, "nothing was written") {
		t.Errorf("%v", err)
	}
}

// An undo that restores a block with credentials must not write it to the journal.
func TestInverse_undo_of_a_block_holds_no_value(t *testing.T) {
	config := uiConfig()
	config["cloudProvider"].(map[string]any)[keyAWSBlock] = map[string]any{"global": map[string]any{"role-arn": "arn:SECRET"}}
	edit := Switch(config, naming.Rule{}, nil)
	inverse, kept := inverseOf(t, edit)
	undo, err := TakeBack("Cluster c-1", edit.Apply(), inverse, kept)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := undo.Inverse()
	if err != nil || strings.Contains(string(raw), "SECRET") {
		t.Errorf("%s, %v", raw, err)
	}
}

func TestCheckEditable_values_an_undo_cannot_restore_refused(t *testing.T) {
	for _, l := range leaves() {
		config := uiConfig()
		c := Edit{Config: config, Elements: []Element{{Path: l.path, Value: "maybe"}}}.Apply()
		if err := checkEditable("Cluster c-1", c); err == nil || !strings.Contains(err.Error(), strings.Join(l.path, ".")) {
			t.Errorf("%v: %v", l.path, err)
		}
	}
}
