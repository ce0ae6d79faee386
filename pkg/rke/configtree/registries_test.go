package configtree

import (
	"testing"
)

func TestDefaultRegistryOfEitherConfiguration(t *testing.T) {
	for name, tt := range map[string]struct {
		list, key string
		config    map[string]any
		want      string
	}{
		"none":          {"private_registries", "is_default", map[string]any{}, ""},
		"no default":    {"private_registries", "is_default", map[string]any{"private_registries": []any{map[string]any{"url": "a.local"}}}, ""},
		"cluster.yml":   {"private_registries", "is_default", map[string]any{"private_registries": []any{map[string]any{"url": "a.local"}, map[string]any{"url": "b.local/p", "is_default": true}}}, "b.local/p"},
		"Rancher's":     {"privateRegistries", "isDefault", map[string]any{"privateRegistries": []any{map[string]any{"url": "b.local", "isDefault": true}}}, "b.local"},
		"without a url": {"private_registries", "is_default", map[string]any{"private_registries": []any{map[string]any{"is_default": true}}}, ""},
	} {
		got := Registries("file cluster.yml", tt.list, tt.key, tt.config)
		if len(got) != 1 || got[0].Default != tt.want || got[0].Object != "file cluster.yml" {
			t.Errorf("%s: %+v, wanted %q", name, got, tt.want)
		}
	}
}
