package migration

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Snapshot holds one observation of a cluster, on which steps base plans and verdicts. Later
// readings do not change it.
type Snapshot struct {
	Reading Reading
	Result  position.Result // of Reading
	Record  journal.Record  // the journal at the time of the observation
	Config  Config          // the Backend's reading
	// InstallMethod is the user's choice; in an undo it is the method of the installation.
	InstallMethod InstallMethod
	Back          bool // the observation belongs to an undo

	At     time.Time // by the run's clock
	Unseen bool      // the previous observation failed
	Outage bool      // an observation failed less than BackOff ago
	HadCCM bool      // this run has seen the CCM's DaemonSet, now or earlier
	// Unchanged holds, for each lease, the time since which this run has seen no write.
	Unchanged Unchanged
}

// Step is a step of a migration or of an undo.
type Step = runner.Step[Snapshot]

// Procedure is a migration or an undo.
type Procedure = runner.Procedure[Snapshot]

// Switched reports whether the cluster is past the switch of its provider.
func (s Snapshot) Switched() bool { return s.Result.Position.AtLeast(position.P4) }

// AtTarget reports whether every kubelet runs version. It is true if version is empty.
func (s Snapshot) AtTarget(version string) bool { return s.Reading.AtVersion(version) }

// Unchanged holds, by name, the leases that a run has seen and the times since which it has
// seen no write. Times are by the run's own clock.
type Unchanged map[string]leaseMark

type leaseMark struct {
	version string
	since   time.Time // first sight of this version
	after   time.Time // lower bound of the write's time; zero for the version of the first reading
	holder  string
	held    time.Time // first sight of this holder
	looked  time.Time // start of the last reading
}

// Next returns the marks after another reading, which lasted from began to now. It does not
// change u.
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

// Idle reports whether no process can hold a lease: the run has seen no write of it for twice
// its duration plus ten seconds. A lease that does not exist is idle.
func (s Snapshot) Idle(name string, last lease.Observation) bool {
	mark, known := s.Unchanged[name]
	return !last.Exists || known && s.At.Sub(mark.since) >= 2*last.Duration+10*time.Second
}
