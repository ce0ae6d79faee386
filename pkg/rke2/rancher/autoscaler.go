package rancher

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// AutoscaledPools returns the pools whose size Rancher's autoscaler changes, or none if it is paused
// (rancher/rancher:pkg/capr/common.go@v2.15.0, ClusterAutoscalerPausedAnnotation).
func (c Cluster) AutoscaledPools() []config.Pool {
	if c.Annotations[AutoscalerPausedAnnotation] == "true" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.Spec.Pools), func(p config.Pool) bool { return !p.Autoscaled })
}
