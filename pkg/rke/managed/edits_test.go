package managed

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/configtree"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// uiConfig returns a configuration from Rancher's UI, with the block that decides the provider
// regardless of its name.
func uiConfig() map[string]any {
	return map[string]any{
		"kubernetesVersion": "v1.26.9-rancher1-1",
		"cloudProvider":     map[string]any{"name": "aws", "useInstanceMetadataHostname": false, "awsCloudProvider": map[string]any{}},
		"services": map[string]any{"kubeController": map[string]any{}, "kubelet": map[string]any{"extraArgs": map[string]any{"max-pods": "110"}},
			"etcd": map[string]any{"creation": "12h"}},
		"upgradeStrategy": map[string]any{"drain": false},
	}
}

// patched applies an edit's patch to an object as the API server does.
func patched(t *testing.T, object map[string]any, edit Edit) (map[string]any, error) {
	t.Helper()
	raw, err := edit.Patch()
	if err != nil {
		t.Fatal(err)
	}
	patch, err := jsonpatch.DecodePatch(raw)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	before, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	after, err := patch.Apply(before)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	return out, json.Unmarshal(after, &out)
}

func objectOf(config map[string]any) map[string]any {
	return map[string]any{"spec": map[string]any{rkeConfigKey: config, "displayName": "demo"}}
}

// The patch of any configuration has the result of Apply.
func TestPatch_anyConfig_equalsApply(t *testing.T) {
	without := func(change func(map[string]any)) map[string]any {
		c := uiConfig()
		change(c)
		return c
	}
	for name, config := range map[string]map[string]any{
		"the UI's":    uiConfig(),
		"no services": without(func(c map[string]any) { delete(c, "services") }),
		"null extraArgs": without(func(c map[string]any) {
			c["services"].(map[string]any)["kubeController"] = map[string]any{"extraArgs": nil}
		}),
		"null awsCloudProvider": without(func(c map[string]any) { c["cloudProvider"].(map[string]any)["awsCloudProvider"] = nil }),
		"no awsCloudProvider":   without(func(c map[string]any) { delete(c["cloudProvider"].(map[string]any), "awsCloudProvider") }),
		"other arguments": without(func(c map[string]any) {
			c["services"].(map[string]any)["kubeController"] = map[string]any{"extraArgs": map[string]any{"v": "4", "a/b~c": "1"}}
		}),
		"the flag is there, false": without(func(c map[string]any) {
			c["services"].(map[string]any)["kubeController"] = map[string]any{"extraArgs": map[string]any{keyFlag: "false"}}
		}),
	} {
		t.Run(name, func(t *testing.T) {
			before := runtime.DeepCopyJSON(config)
			for _, edit := range []Edit{Enable(config), Switch(config, naming.Rule{UseMetadata: true}, nil),
				Switch(Enable(config).Apply(), naming.Rule{}, nil), Upgrade(config, "v1.27.16-rancher1-1")} {
				got, err := patched(t, objectOf(edit.Config), edit)
				if err != nil {
					t.Fatal(err)
				}
				if want := objectOf(edit.Apply()); !reflect.DeepEqual(got, want) {
					t.Errorf("the patch made %v, wanted %v", got, want)
				}
			}
			if !reflect.DeepEqual(config, before) {
				t.Errorf("the computation modified its input: %v", config)
			}
		})
	}
}

func TestSwitch_uiConfig_noTracesOfInTree(t *testing.T) {
	after := Switch(Enable(uiConfig()).Apply(), naming.Rule{UseMetadata: true}, nil).Apply()
	want := map[string]any{"name": "external-aws", "useInstanceMetadataHostname": true}
	if !reflect.DeepEqual(after["cloudProvider"], want) {
		t.Errorf("cloudProvider is %v, wanted %v", after["cloudProvider"], want)
	}
	if _, flagged := mapAt(after, []string{"services", "kubeController", "extraArgs"})[keyFlag]; flagged {
		t.Error("the flag remains with an external provider")
	}
	if again := Switch(after, naming.Rule{UseMetadata: true}, nil); !again.Empty() {
		t.Errorf("a second edit changes %v", again.Elements)
	}
}

// The API server must reject the patch if another writer changes a value that was read.
func TestPatch_changedMeanwhile_refused(t *testing.T) {
	for name, change := range map[string]func(config map[string]any){
		"another provider": func(c map[string]any) { c["cloudProvider"].(map[string]any)["name"] = "harvester" },
		"options of the block": func(c map[string]any) {
			c["cloudProvider"].(map[string]any)["awsCloudProvider"] = map[string]any{"global": map[string]any{"vpc": "vpc-1"}}
		},
		"the flag came": func(c map[string]any) {
			c["services"].(map[string]any)["kubeController"] = map[string]any{"extraArgs": map[string]any{keyFlag: "true"}}
		},
	} {
		now := uiConfig()
		change(now)
		flagged := Enable(uiConfig())
		switched := Switch(uiConfig(), naming.Rule{}, nil)
		_, err := patched(t, objectOf(now), flagged)
		_, alsoErr := patched(t, objectOf(now), switched)
		if err == nil && alsoErr == nil {
			t.Errorf("%s: both patches were applied", name)
		}
	}
}

func TestInverse_block_onlyDigest(t *testing.T) {
	config := uiConfig()
	config["cloudProvider"].(map[string]any)["awsCloudProvider"] = map[string]any{"global": map[string]any{"role-arn": "arn:SECRET"}}
	edit := Switch(config, naming.Rule{UseMetadata: true}, nil)
	raw, err := edit.Inverse()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), "SECRET") {
		t.Errorf("a whole value is in the journal: %s", raw)
	}
	var all []Inverse
	if err := json.Unmarshal(raw, &all); err != nil || len(all) != 3 {
		t.Fatalf("%d elements, %v: %s", len(all), err, raw)
	}
	for _, one := range all {
		if !one.Had || one.Before == nil && len(one.SHA256) != 64 {
			t.Errorf("element %+v has neither value nor hash", one)
		}
	}
	for _, c := range edit.Changes("Cluster c-1 (demo)") {
		if strings.Contains(c.Diff, "SECRET") {
			t.Errorf("a plan shows %s", c.Diff)
		}
	}
}

// A mapping must not overwrite another value.
func TestCheckEditable_noMapping_refused(t *testing.T) {
	if err := checkEditable("Cluster c-1", uiConfig()); err != nil {
		t.Errorf("the UI's configuration: %v", err)
	}
	for name, change := range map[string]func(map[string]any){
		"cloudProvider": func(c map[string]any) { c["cloudProvider"] = "aws" },
		"services.kubeController.extraArgs": func(c map[string]any) {
			c["services"].(map[string]any)["kubeController"] = map[string]any{"extraArgs": []any{"v"}}
		},
	} {
		config := uiConfig()
		change(config)
		if err := checkEditable("Cluster c-1", config); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The switch removes a mapping that the first edit created, together with the flag. It keeps
// mappings with other keys and those that existed before.
func TestSwitch_createdMappings_removed(t *testing.T) {
	kcm := func(config map[string]any) any { return configtree.Map(config["services"])["kubeController"] }
	for name, tt := range map[string]struct {
		services  map[string]any // services before the edits
		meanwhile func(extraArgs map[string]any)
		want      map[string]any // services afterwards, or nil
	}{
		"extraArgs was made": {map[string]any{"kubeController": map[string]any{"image": "x"}}, nil,
			map[string]any{"kubeController": map[string]any{"image": "x"}}},
		"kubeController was made": {map[string]any{"kubelet": map[string]any{}}, nil, map[string]any{"kubelet": map[string]any{}}},
		"services was made":       {nil, nil, nil},
		"an empty one was there": {map[string]any{"kubeController": map[string]any{"extraArgs": map[string]any{}}}, nil,
			map[string]any{"kubeController": map[string]any{"extraArgs": map[string]any{}}}},
		"made, and used by a user": {map[string]any{"kubeController": map[string]any{}}, func(extraArgs map[string]any) { extraArgs["v"] = "4" },
			map[string]any{"kubeController": map[string]any{"extraArgs": map[string]any{"v": "4"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			config := uiConfig()
			delete(config, "services")
			if tt.services != nil {
				config["services"] = tt.services
			}
			first := Enable(config)
			now := first.Apply()
			if tt.meanwhile != nil {
				tt.meanwhile(configtree.Map(configtree.Map(kcm(now))["extraArgs"]))
			}
			cluster := Cluster{ID: "c-1", Config: now}
			inverse, err := first.Inverse()
			if err != nil {
				t.Fatal(err)
			}
			snap := migration.Snapshot{Config: observed{cluster: cluster}}
			snap.Record.Intents = []journal.Intent{{Step: migration.StepEnable, Object: cluster.object(), Inverse: inverse}}
			edit := Switch(now, naming.Rule{UseMetadata: true}, madeByEnable(snap))
			got, err := patched(t, objectOf(now), edit)
			if err != nil {
				t.Fatal(err)
			}
			if want := objectOf(edit.Apply()); !reflect.DeepEqual(got, want) {
				t.Errorf("the patch made %v, wanted %v", got, want)
			}
			services, there := edit.Apply()["services"].(map[string]any)
			if there != (tt.want != nil) || there && !reflect.DeepEqual(services, tt.want) {
				t.Errorf("services are %v, wanted %v", services, tt.want)
			}
		})
	}
}

// Without the journal, the origin of an empty mapping is unknown.
func TestSwitch_emptyMappingOfUnknownOrigin_kept(t *testing.T) {
	after := Switch(Enable(uiConfig()).Apply(), naming.Rule{}, nil).Apply()
	if _, there := mapAt(after, []string{"services", "kubeController"})["extraArgs"]; !there {
		t.Error("extraArgs is gone")
	}
}

// The patch must not remove an argument that another writer adds after the reading.
func TestSwitch_mappingFilledMeanwhile_refused(t *testing.T) {
	first := Enable(uiConfig())
	edit := Switch(first.Apply(), naming.Rule{}, first.Made())
	now := first.Apply()
	mapAt(now, []string{"services", "kubeController", "extraArgs"})["v"] = "4"
	if got, err := patched(t, objectOf(now), edit); err == nil {
		t.Errorf("the patch was applied: %v", got)
	}
}

// A plan shows an empty block as empty, and only the names of options.
func TestChanges_block_noValues(t *testing.T) {
	type block = map[string]any
	for _, tt := range []struct {
		value any
		want  string
	}{
		{block{}, "{}"},
		{block{"global": block{}, "serviceOverride": nil}, "{}"},
		{block{"global": block{"vpc": "vpc-1"}}, "{global: (not shown)}"},
		{block{"b": "secret", "a": true}, "{a, b: (not shown)}"},
		{"aws", "aws"},
		{true, "true"},
	} {
		edit := Edit{Elements: []Element{{Path: []string{"cloudProvider", "awsCloudProvider"}, Had: true, Before: tt.value}}}
		got := edit.Changes("Cluster c-1")
		if len(got) != 1 || got[0].Before != tt.want || got[0].Diff != "- "+tt.want+"\n" || got[0].After != nil {
			t.Errorf("%v: %+v, want %s", tt.value, got, tt.want)
		}
	}
}
