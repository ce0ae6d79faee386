package managed

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// inverseOf returns an edit's inverse from the journal, and a function that returns the stored
// values.
func inverseOf(t *testing.T, edit Edit) ([]Inverse, func(string) (any, error)) {
	t.Helper()
	raw, err := edit.Inverse()
	if err != nil {
		t.Fatal(err)
	}
	inverse, err := parseInverses(raw)
	if err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	kept := map[string]any{}
	for _, el := range edit.Elements {
		if before, ok := el.Before.(map[string]any); ok {
			sum, _, err := digestOf(before)
			if err != nil {
				t.Fatal(err)
			}
			kept[sum] = runtime.DeepCopyJSON(before)
		}
	}
	return inverse, func(sum string) (any, error) {
		if v, ok := kept[sum]; ok {
			return v, nil
		}
		return nil, fmt.Errorf("nothing is kept under %s", sum)
	}
}

// unblocked returns a configuration whose edits store no value in a Secret.
func unblocked() map[string]any {
	config := uiConfig()
	delete(config["cloudProvider"].(map[string]any), "awsCloudProvider")
	return config
}

// Reversing the direction half-way hides no edit from the next undo, and undoes none twice.
func TestTakeBack_directionReversed_undoneOnce(t *testing.T) {
	const enable, change, back, away = migration.StepEnable, migration.StepSwitch, migration.StepUndoSwitch, migration.StepUndoEnable
	for name, steps := range map[string][]journal.StepID{
		"undo of a later step turned round_flag undone": {enable, migration.StepUndoInstall, migration.StepInstall, away},
		"undo of its own step turned round_undone once": {enable, away, enable, away},
		"both turned round_both undone":                 {enable, change, back, change, back, away, enable, migration.StepUndoDisable, change, back, away},
	} {
		b, config := &Backend{}, unblocked()
		snap := migration.Snapshot{}
		for _, step := range steps {
			cluster := Cluster{ID: "c-1", Config: config}
			snap.Config = observed{cluster: cluster}
			edit, undone := Edit{Config: config}, journal.StepID("")
			switch step {
			case enable:
				edit = Enable(config)
			case change:
				edit = Switch(config, naming.Rule{UseMetadata: true}, madeByEnable(snap))
			case back:
				undone = change
			case away:
				undone = enable
			}
			if undone != "" {
				var err error
				if edit, err = b.undoStep(t.Context(), snap, config, undone); err != nil || edit.Empty() {
					t.Fatalf("%s: %s: %v %v", name, step, err, edit.Elements)
				}
			}
			raw, err := edit.Inverse()
			if err != nil {
				t.Fatal(err)
			}
			intent := journal.Intent{Step: step, Object: cluster.object(), Inverse: raw}
			if edit.Empty() {
				intent.Object = "DaemonSet x"
			}
			snap.Record.Intents = append(snap.Record.Intents, intent)
			config = edit.Apply()
		}
		if diff := cmp.Diff(unblocked(), config); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		snap.Config = observed{cluster: Cluster{ID: "c-1", Config: Enable(config).Apply()}}
		snap.Record = journal.Record{}
		if _, err := b.undoStep(t.Context(), snap, Enable(config).Apply(), enable); clustertest.ReasonOf(err) != "NothingToTakeBack" || !strings.Contains(err.Error(), keyFlag) {
			t.Errorf("%s: the flag is there, and no edit that set it: %v", name, err)
		}
	}
}

func TestTakeBack_edits_restored(t *testing.T) {
	block := func(v any) map[string]any {
		c := uiConfig()
		c["cloudProvider"].(map[string]any)["awsCloudProvider"] = v
		return c
	}
	without := uiConfig()
	delete(without, "services")
	nulled := uiConfig()
	nulled["services"] = map[string]any{"kubeController": map[string]any{"extraArgs": nil}}
	for name, config := range map[string]map[string]any{
		"the UI's": uiConfig(), "no services": without, "null arguments": nulled, "an empty block": block(map[string]any{}),
		"a block":       block(map[string]any{"global": map[string]any{"role-arn": "arn:aws:iam::1:role/r"}}),
		"a null block":  block(nil),
		"an idle block": block(map[string]any{"global": map[string]any{"vpc": ""}}),
	} {
		first := Enable(config)
		flagged := first.Apply()
		second := Switch(flagged, naming.Rule{UseMetadata: true}, first.Made())
		for _, step := range []struct {
			edit Edit
			want map[string]any
		}{{second, flagged}, {first, config}} {
			inverse, kept := inverseOf(t, step.edit)
			undo, err := TakeBack("Cluster c-1", step.edit.Apply(), inverse, kept)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			back, err := patched(t, objectOf(step.edit.Apply()), undo)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := cmp.Diff(withoutNulls(objectOf(step.want)), withoutNulls(back)); diff != "" {
				t.Errorf("%s:\n%s", name, diff)
			}
			if again, err := TakeBack("Cluster c-1", undo.Apply(), inverse, kept); err != nil || !again.Empty() {
				t.Errorf("%s, a second time: %v, %v", name, again.Elements, err)
			}
		}
	}
}

// withoutNulls returns a copy without nulls, which Rancher's structures treat as absent.
func withoutNulls(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for key, value := range m {
		if value != nil {
			out[key] = withoutNulls(value)
		}
	}
	return out
}

func TestTakeBack_changedMeanwhile_refused(t *testing.T) {
	edit := Switch(Enable(uiConfig()).Apply(), naming.Rule{}, nil)
	inverse, kept := inverseOf(t, edit)
	for name, change := range map[string]func(map[string]any){
		"another name": func(c map[string]any) { c["cloudProvider"].(map[string]any)["name"] = "external" },
		"the flag is back": func(c map[string]any) {
			mapAt(c, []string{"services", "kubeController", "extraArgs"})[keyFlag] = "false"
		},
		"a block came": func(c map[string]any) {
			c["cloudProvider"].(map[string]any)["awsCloudProvider"] = map[string]any{"a": "b"}
		},
	} {
		now := edit.Apply()
		change(now)
		if _, err := TakeBack("Cluster c-1", now, inverse, kept); fault.ClassOf(err) != fault.Stale {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := edit.Apply()
	other["addons"] = "a user's"
	if undo, err := TakeBack("Cluster c-1", other, inverse, kept); err != nil || undo.Apply()["addons"] != "a user's" {
		t.Errorf("another key: %v", err)
	}
}
