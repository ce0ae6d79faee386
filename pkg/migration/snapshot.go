package migration

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
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

// Unchanged are the leases that a run has seen, by name, and since when nobody wrote
// them, by its own clock.
type Unchanged map[string]leaseMark

type leaseMark struct {
	version string
	since   time.Time // this version is seen
	after   time.Time // it was written after this moment; zero: it was there at the first look
	holder  string
	held    time.Time // it is seen with this holder
	looked  time.Time // the last reading of it began
}

// Next is what is known after another reading, which took from began to now. It leaves u
// as it was.
func (u Unchanged) Next(began, now time.Time, leases lease.Leases) Unchanged {
	next := Unchanged{}
	for name, last := range map[string]lease.Observation{wellknown.MigrationLease: leases.Migration.Last, wellknown.CCMLease: leases.CCM.Last,
		wellknown.KCMLease: leases.KCM.Last} {
		mark, known := u[name]
		switch {
		case !last.Exists:
		case known && mark.version == last.ResourceVersion:
			mark.looked = began
			next[name] = mark
		default:
			written := leaseMark{version: last.ResourceVersion, since: now, after: mark.looked, holder: last.Holder, held: now, looked: began}
			if known && mark.holder == last.Holder {
				written.held = mark.held
			}
			next[name] = written
		}
	}
	return next
}

// Idle says whether a lease can be nobody's: nobody wrote it for two of its durations
// and ten seconds. One that is not there is idle.
func (s Snapshot) Idle(name string, last lease.Observation) bool {
	mark, known := s.Unchanged[name]
	return !last.Exists || known && s.At.Sub(mark.since) >= 2*last.Duration+10*time.Second
}
