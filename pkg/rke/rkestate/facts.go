package rkestate

import (
	"cmp"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Facts are what is read beside the cluster itself: the file, rke's state and
// the binary. The fields of a cluster that Rancher manages stay empty where it
// has no such thing.
type Facts struct {
	Path   string            // of cluster.yml; "" for a cluster that Rancher manages
	File   *clusterfile.File // as read from Path, or from Rancher's Cluster object
	Config clusterfile.Config
	// State is the one in the cluster, Local the one beside the file.
	State  Full
	Local  verify.Read[Full]
	Binary verify.Read[rkecli.Binary]
	// PinnedVolumes are the PersistentVolumes whose nodeAffinity names the label
	// kubernetes.io/hostname.
	PinnedVolumes verify.Read[[]PinnedVolume]
	// Registries are where the configuration has the nodes pull images from.
	Registries []downstream.Registry
}

// KubernetesVersion is the Kubernetes version in force.
func (f Facts) KubernetesVersion() string {
	return cmp.Or(f.State.Current.Config.KubernetesVersion, f.Config.KubernetesVersion)
}

// RKE gives the facts of whatever embeds them.
func (f Facts) RKE() Facts { return f }
