package configtree

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Registries returns the registry of the cluster's own images from cluster.yml or Rancher's
// configuration of an RKE cluster: its default registry. rke writes no mirrors.
func Registries(object, list, isDefault string, config map[string]any) []downstream.Registry {
	return []downstream.Registry{{Object: object, Default: strings.TrimSuffix(DefaultRegistry(config, list, isDefault), "/")}}
}

// DefaultRegistry returns the prefix, with a slash, that rke adds to its own images
// (rancher/rke:cluster/defaults.go@v1.5.9, setClusterImageDefaults). list and isDefault are the
// keys in the spelling of the configuration.
func DefaultRegistry(file map[string]any, list, isDefault string) string {
	for _, one := range List(file[list]) {
		registry := Map(one)
		if on, _ := Bool(fmt.Sprint(registry[isDefault])); !on {
			continue
		}
		if url := fmt.Sprint(registry["url"]); registry["url"] != nil && url != "" {
			return url + "/"
		}
		return ""
	}
	return ""
}
