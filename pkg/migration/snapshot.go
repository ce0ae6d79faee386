package migration

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Snapshot is one observation of a cluster: a value that steps plan and judge by.
// Nothing that is read later changes it.
type Snapshot struct {
	Reading Reading
	Result  position.Result // of Reading
	Record  journal.Record  // the journal, when the cluster was observed
	Config  Config          // what the Backend read
	// InstallMethod is the user's choice; where an undo observes, how the chart was
	// installed.
	InstallMethod InstallMethod
	Back          bool // an undo observes

	At     time.Time // by the run's clock
	Unseen bool      // the observation before this one failed
	Outage bool      // one failed less than BackOff ago
	HadCCM bool      // this run has seen the CCM's DaemonSet, now or before
	// Unchanged says since when this run has seen nobody write a lease.
	Unchanged Unchanged
}

// Step is one of a migration's, or of an undo's.
type Step = runner.Step[Snapshot]

// Procedure is a migration, or an undo.
type Procedure = runner.Procedure[Snapshot]

// Switched says whether the cluster is past the switch of its provider.
func (s Snapshot) Switched() bool { return s.Result.Position.AtLeast(position.P4) }

// AtTarget says whether every kubelet runs a version; true where none is wanted.
func (s Snapshot) AtTarget(version string) bool { return atVersion(s.Reading.Down.Nodes, version) }
