package rkechecks

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

// Options holds the options of a user that affect checks.
type Options struct {
	Cluster           string // name in Rancher, or empty with a cluster.yml
	KubernetesVersion string // target version of the run, or empty
	NoRKEUp           bool   // whether the user runs rke
}

// Prepared holds the input of the checks of this package.
type Prepared struct {
	rkestate.Facts
	migration.Reading
	migration.Prepared
	Input   evidence.Input // evidence from the cluster and from AWS
	Options Options
	Names   naming.Rule // rule by which Nodes keep their names
	NameErr error       // why no rule keeps them, or nil
	EditErr error       // why a pending edit cannot be computed, or nil
	Kept    bool        // whether it comes from a bundle, which has no text of cluster.yml
	Offline bool        // whether cluster.yml is the only evidence
}
