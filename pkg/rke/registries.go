package rke

import (
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// registriesOf is where a configuration, a cluster.yml's or Rancher's of an RKE
// cluster, has the cluster's own images: its default registry. rke writes no
// mirrors.
func registriesOf(object, list, isDefault string, config map[string]any) []downstream.Registry {
	return []downstream.Registry{{Object: object, Default: strings.TrimSuffix(defaultRegistry(config, list, isDefault), "/")}}
}
