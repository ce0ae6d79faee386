package config

import (
	"maps"
	"slices"
)

// KeyRegistry is the key for the registry of RKE2's own images.
const KeyRegistry = "system-default-registry"

// Mirror is an entry of rkeConfig.registries.mirrors. The mirrors become registries.yaml on every
// machine (rancher/rancher:pkg/capr/planner/registry.go@v2.8.5).
type Mirror struct {
	Of        string
	Endpoints []string
	Rewrites  map[string]string
}

// parseMirrors ignores entries with another structure: no migration depends on them.
func parseMirrors(rke map[string]any) []Mirror {
	registries, _ := rke["registries"].(map[string]any)
	all, _ := registries["mirrors"].(map[string]any)
	var out []Mirror
	for _, of := range slices.Sorted(maps.Keys(all)) {
		raw, _ := all[of].(map[string]any)
		m := Mirror{Of: of}
		endpoints, _ := raw["endpoint"].([]any)
		for _, e := range endpoints {
			if text, ok := e.(string); ok {
				m.Endpoints = append(m.Endpoints, text)
			}
		}
		rewrites, _ := raw["rewrite"].(map[string]any)
		for _, pattern := range slices.Sorted(maps.Keys(rewrites)) {
			if text, ok := rewrites[pattern].(string); ok {
				if m.Rewrites == nil {
					m.Rewrites = map[string]string{}
				}
				m.Rewrites[pattern] = text
			}
		}
		out = append(out, m)
	}
	return out
}

// Registry returns the registry from which a machine pulls RKE2's own images, or is empty. On
// servers the value of machineGlobalConfig, or the first one of an entry without selector,
// overrides the result of the merge
// (rancher/rancher:pkg/capr/planner/config.go@v2.8.5, addRoleConfig, and
// pkg/provisioningv2/image/resolve.go, getPrivateRepoURL). The object does not contain Rancher's
// own setting system-default-registry, which has the lowest precedence.
func Registry(s Spec, m Machine) string {
	if m.Server() {
		if set := s.clusterRegistry(); set != "" {
			return set
		}
	}
	return Effective(s, m).Text(KeyRegistry)
}

func (s Spec) clusterRegistry() string {
	if set, ok := s.Global[KeyRegistry].(string); ok {
		return set
	}
	for _, e := range s.Entries {
		if set, ok := e.Config[KeyRegistry].(string); ok && e.Selector == nil {
			return set
		}
	}
	return ""
}
