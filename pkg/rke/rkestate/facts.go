package rkestate

import (
	"cmp"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Facts holds the data read outside the cluster's API: the file, rke's state and the binary. For
// a cluster that Rancher manages, fields without a counterpart remain empty.
type Facts struct {
	Path   string            // of cluster.yml; empty for a cluster that Rancher manages
	File   *clusterfile.File // as read from Path, or from Rancher's Cluster object
	Config clusterfile.Config
	// State is the state in the cluster, Local the one next to the file.
	State  Full
	Local  verify.Read[Full]
	Binary verify.Read[rkecli.Binary]
	// PinnedVolumes holds the PersistentVolumes whose nodeAffinity uses the label
	// kubernetes.io/hostname.
	PinnedVolumes verify.Read[[]PinnedVolume]
	// Registries holds the registries from which the nodes pull images.
	Registries []downstream.Registry
}

// KubernetesVersion returns the Kubernetes version in force.
func (f Facts) KubernetesVersion() string {
	return cmp.Or(f.State.Current.Config.KubernetesVersion, f.Config.KubernetesVersion)
}

// RKE returns the facts, for types that embed them.
func (f Facts) RKE() Facts { return f }
