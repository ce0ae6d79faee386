package rkechecks

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

// Options are the choices of a user that checks go by.
type Options struct {
	Cluster           string // Rancher's; "" with a cluster.yml
	KubernetesVersion string // to upgrade to in the same run; "": none
	NoRKEUp           bool   // somebody else runs rke
}

// Prepared is what the checks of this package judge.
type Prepared struct {
	rkestate.Facts
	migration.Reading
	migration.Prepared
	Input   evidence.Input // what was read of the cluster and of AWS
	Options Options
	Names   naming.Rule // how Nodes keep their names
	NameErr error       // why they do not
	EditErr error       // an edit to come cannot be computed
	Kept    bool        // it comes from a bundle, which has no text of cluster.yml
	Offline bool        // no cluster was asked: cluster.yml alone is the evidence
}
