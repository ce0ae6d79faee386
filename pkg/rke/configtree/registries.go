package configtree

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Registries are where a configuration, a cluster.yml's or Rancher's of an RKE
// cluster, has the cluster's own images: its default registry. rke writes no
// mirrors.
func Registries(object, list, isDefault string, config map[string]any) []downstream.Registry {
	return []downstream.Registry{{Object: object, Default: strings.TrimSuffix(DefaultRegistry(config, list, isDefault), "/")}}
}

// DefaultRegistry is what rke puts before its own images
// (rancher/rke:cluster/defaults.go@v1.5.9, setClusterImageDefaults), with a slash;
// list and isDefault are the keys as the configuration spells them.
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
