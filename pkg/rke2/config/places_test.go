package config

import (
	"slices"
	"testing"
)

// Only the meaning of a place counts, not its notation.
func TestPlaces(t *testing.T) {
	entry := func(selector, values map[string]any) map[string]any {
		return map[string]any{"machineLabelSelector": selector, "config": values}
	}
	in := func(key, operator string, values ...any) map[string]any {
		return map[string]any{"matchExpressions": []any{map[string]any{"key": key, "operator": operator, "values": values}}}
	}
	args := func(args ...any) map[string]any { return map[string]any{"kubelet-arg": args} }
	before := map[string]any{
		"machineGlobalConfig":   map[string]any{"cni": "calico", "kubelet-arg": []any{"a=1", "b=2"}, "registry": map[string]any{"x": []any{"1", "2"}}, "off": false},
		"machineSelectorConfig": []any{entry(nil, args("c=3")), entry(in("pool", "In", "x", "y"), args("d=4")), entry(in("pool", "In", "z"), args("e=5"))},
		"additionalManifest":    "a: b\n",
	}
	for name, tt := range map[string]struct {
		change map[string]any
		want   []string
	}{
		"nothing":              {nil, nil},
		"another order":        {map[string]any{"machineGlobalConfig": map[string]any{"registry": map[string]any{"x": []any{"2", "1"}}, "kubelet-arg": []any{"b=2", "a=1"}, "cni": "calico", "off": "false"}}, nil},
		"entries and values":   {map[string]any{"machineSelectorConfig": []any{entry(in("pool", "In", "z"), args("e=5")), entry(in("pool", "In", "y", "x"), args("d=4")), entry(nil, map[string]any{"kubelet-arg": "c=3"})}}, nil},
		"empty values":         {map[string]any{"machineSelectorConfig": append(slices.Clone(before["machineSelectorConfig"].([]any)), entry(in("a", "Exists"), nil), entry(nil, map[string]any{"b": "", "c": nil, "d": []any{}, "e": map[string]any{"f": nil}}))}, nil},
		"a lost key":           {map[string]any{"machineGlobalConfig": map[string]any{"cni": "calico", "kubelet-arg": []any{"a=1", "b=2"}, "off": false}}, []string{"machineGlobalConfig.registry"}},
		"a lost argument":      {map[string]any{"machineSelectorConfig": []any{entry(nil, args("c=3")), entry(in("pool", "In", "x", "y"), args()), entry(in("pool", "In", "z"), args("e=5"))}}, []string{"machineSelectorConfig[pool in (x,y)].config.kubelet-arg"}},
		"for another":          {map[string]any{"machineSelectorConfig": []any{entry(nil, args("c=3")), entry(in("pool", "In", "x"), args("d=4")), entry(in("pool", "In", "z"), args("e=5"))}}, []string{"machineSelectorConfig[pool in (x)].config.kubelet-arg", "machineSelectorConfig[pool in (x,y)].config.kubelet-arg"}},
		"a changed value":      {map[string]any{"machineGlobalConfig": map[string]any{"cni": "cilium", "kubelet-arg": []any{"a=1", "b=2"}, "registry": map[string]any{"x": []any{"1", "2"}}, "off": true}}, []string{"machineGlobalConfig.cni", "machineGlobalConfig.off"}},
		"without the manifest": {map[string]any{"additionalManifest": nil}, []string{"additionalManifest"}},
		"twice":                {map[string]any{"machineSelectorConfig": append(slices.Clone(before["machineSelectorConfig"].([]any)), entry(nil, args("c=3")))}, []string{"machineSelectorConfig[every machine].config.kubelet-arg"}},
	} {
		after := map[string]any{}
		for field, value := range before {
			after[field] = value
		}
		for field, value := range tt.change {
			after[field] = value
		}
		spec := func(rke map[string]any) Spec {
			parsed, err := Parse(map[string]any{"kind": "Cluster", "metadata": map[string]any{"namespace": "fleet-default", "name": "demo"}, "spec": map[string]any{"rkeConfig": rke}})
			if err != nil {
				t.Fatal(name, err)
			}
			return parsed
		}
		if got := Differing(spec(before).Places(), spec(after).Places()); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, wanted %q", name, got, tt.want)
		}
	}
}
