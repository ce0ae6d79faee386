package rke

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
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
	State  State
	Local  verify.Read[State]
	Binary verify.Read[rkecli.Binary]
	// PinnedVolumes are the PersistentVolumes whose nodeAffinity names the label
	// kubernetes.io/hostname.
	PinnedVolumes verify.Read[[]PinnedVolume]
	// Registries are where the configuration has the nodes pull images from.
	Registries []downstream.Registry
}

// PinnedVolume is a volume that is bound to a node by its hostname label.
type PinnedVolume struct{ Name, Hostname string }

// Prepared is what the checks of this package judge.
type Prepared struct {
	Facts
	migration.Reading
	migration.Prepared
	Input   checks.Input // what was read of the cluster and of AWS
	Options Options
	Names   NameRule // how Nodes keep their names
	NameErr error    // why they do not
	EditErr error    // an edit to come cannot be computed
	Kept    bool     // it comes from a bundle, which has no text of cluster.yml
	Offline bool     // no cluster was asked: cluster.yml alone is the evidence
}
