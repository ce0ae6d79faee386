package rancher

import (
	"fmt"
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// userConfig is the part of an RKEControlPlane's spec that the merge reads.
type userConfig struct {
	MachineGlobalConfig   map[string]any  `json:"machineGlobalConfig"`
	MachineSelectorConfig []selectorEntry `json:"machineSelectorConfig"`
}

type selectorEntry struct {
	Config               map[string]any        `json:"config"`
	MachineLabelSelector *metav1.LabelSelector `json:"machineLabelSelector"`
}

// merge is addDefaults and the first half of addUserConfig: the default network plugin, then
// the global keys, then each matching entry in list order. A key is assigned as a whole. A
// missing selector matches every machine. Source:
// rancher/rancher:pkg/capr/planner/config.go@v2.8.5.
func merge(spec userConfig, machine map[string]string) (map[string]any, error) {
	out := map[string]any{"cni": "calico"}
	maps.Copy(out, spec.MachineGlobalConfig)
	for i, e := range spec.MachineSelectorConfig {
		if e.MachineLabelSelector != nil {
			s, err := metav1.LabelSelectorAsSelector(e.MachineLabelSelector)
			if err != nil {
				return nil, fmt.Errorf("machineSelectorConfig[%d].machineLabelSelector: %w", i, err)
			}
			if !s.Matches(labels.Set(machine)) {
				continue
			}
		}
		maps.Copy(out, e.Config)
	}
	return out, nil
}

// filter silently drops keys that the release's metadata does not have for this kind of
// machine, and values other than strings, booleans and lists. Fields of type "boolean" (not
// "bool") are converted. Source: rancher/rancher:pkg/capr/planner/filter.go@v2.8.5.
func filter(config map[string]any, server bool, r release) map[string]any {
	out := map[string]any{}
	for k, v := range config {
		kind, known := r.agent[k]
		if !known && server {
			kind, known = r.server[k]
		}
		if !known {
			continue
		}
		switch v.(type) {
		case string, bool, []any:
		default:
			continue
		}
		if kind == "boolean" {
			v = truth(v)
		}
		out[k] = v
	}
	return out
}

// truth parses a boolean as Rancher does: the first element of a list, "true", "t", "yes" and
// "y" in any case, and no number. Source: rancher/norman:types/convert/convert.go (ToBool).
func truth(v any) bool {
	if l, ok := v.([]any); ok {
		if len(l) == 0 {
			return false
		}
		v = l[0]
	}
	if b, ok := v.(bool); ok {
		return b
	}
	switch strings.ToLower(strings.TrimSpace(fmt.Sprint(v))) {
	case "true", "t", "yes", "y":
		return true
	}
	return false
}

// isServer reports whether the labels are those of a control plane or an etcd machine.
func isServer(l map[string]string) bool {
	return l[labelControlPlane] == "true" || l[labelEtcd] == "true"
}
