package managed

import (
	"encoding/json"
	"fmt"
	"sort"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/awsmigrate/awsmigrate/test/lab/rke"
)

// configKey is the only key under spec and appliedSpec that is read.
const configKey = "rancherKubernetesEngineConfig"

// wantedConfig returns the configuration of the spec with the machines, which Rancher keeps
// elsewhere (clusterprovisioner/provisioner.go, getConfig).
func wantedConfig(cluster *unstructured.Unstructured, nodes []unstructured.Unstructured) (map[string]any, error) {
	config, found, err := unstructured.NestedMap(cluster.Object, "spec", configKey)
	if err != nil || !found {
		return nil, fmt.Errorf("Cluster %s has no spec.%s: %w", cluster.GetName(), configKey, err) //nolint:staticcheck // a kind
	}
	var list []any
	for i := range nodes {
		if node, ok, _ := unstructured.NestedMap(nodes[i].Object, "status", "rkeNode"); ok {
			list = append(list, node)
		}
	}
	sort.Slice(list, func(i, j int) bool { return nameOf(list[i]) < nameOf(list[j]) })
	config["nodes"] = list
	return config, nil
}

func nameOf(node any) string {
	m, _ := node.(map[string]any)
	name, _ := m["nodeName"].(string)
	return name
}

// decode returns the part of the configuration that rke gets: unknown fields are dropped.
func decode(config map[string]any) (rke.Config, error) {
	var c rke.Config
	raw, err := json.Marshal(config)
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(raw, &c)
}

func conditionStatus(o *unstructured.Unstructured, kind string) string {
	all, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, one := range all {
		if m, ok := one.(map[string]any); ok && m["type"] == kind {
			status, _ := m["status"].(string)
			return status
		}
	}
	return ""
}

// message returns the message of a condition, or empty if the condition is good.
func message(status map[string]any, kind string) string {
	all, _ := status["conditions"].([]any)
	for _, one := range all {
		if m, ok := one.(map[string]any); ok && m["type"] == kind {
			text, _ := m["message"].(string)
			return text
		}
	}
	return ""
}

func setCondition(status map[string]any, kind, value, message string) {
	all, _ := status["conditions"].([]any)
	set := map[string]any{"type": kind, "status": value}
	if message != "" {
		set["message"] = message
	}
	for i, one := range all {
		if m, ok := one.(map[string]any); ok && m["type"] == kind {
			all[i] = set
			return
		}
	}
	status["conditions"] = append(all, set)
}
