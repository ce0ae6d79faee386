package rkestate

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

const page = 500

// PinnedVolume is a volume that is pinned to a node by its hostname label.
type PinnedVolume struct{ Name, Hostname string }

// ReadPinnedVolumes finds the volumes that are pinned to a Node by its hostname label. The
// kubelet rewrites that label when its --hostname-override changes.
func ReadPinnedVolumes(ctx context.Context, kube kubernetes.Interface) verify.Read[[]PinnedVolume] {
	found := []PinnedVolume{}
	options := metav1.ListOptions{Limit: page}
	for {
		list, err := kube.CoreV1().PersistentVolumes().List(ctx, options)
		if err != nil {
			return verify.Failed[[]PinnedVolume](migration.CouldNotRead("PersistentVolumes", err))
		}
		for i := range list.Items {
			found = append(found, pinnedBy(&list.Items[i])...)
		}
		if options.Continue = list.Continue; options.Continue == "" {
			return verify.Got(found)
		}
	}
}

func pinnedBy(volume *corev1.PersistentVolume) []PinnedVolume {
	var found []PinnedVolume
	if volume.Spec.NodeAffinity == nil || volume.Spec.NodeAffinity.Required == nil {
		return nil
	}
	for _, term := range volume.Spec.NodeAffinity.Required.NodeSelectorTerms {
		for _, e := range term.MatchExpressions {
			if e.Key != corev1.LabelHostname {
				continue
			}
			for _, value := range e.Values {
				found = append(found, PinnedVolume{Name: volume.Name, Hostname: value})
			}
		}
	}
	return found
}
