package migration

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Unchanged are the leases that a run has seen, by name, and since when nobody wrote
// them, by its own clock.
type Unchanged map[string]leaseMark

type leaseMark struct {
	version string
	since   time.Time
}

// Next is what is known after another reading. It leaves u as it was.
func (u Unchanged) Next(now time.Time, leases lease.Leases) Unchanged {
	next := Unchanged{}
	for name, last := range map[string]lease.Observation{wellknown.MigrationLease: leases.Migration.Last, wellknown.CCMLease: leases.CCM.Last} {
		mark, known := u[name]
		switch {
		case !last.Exists:
		case known && mark.version == last.ResourceVersion:
			next[name] = mark
		default:
			next[name] = leaseMark{last.ResourceVersion, now}
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
