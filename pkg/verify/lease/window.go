package lease

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Window holds the readings of the leases that are compared with each other: those
// of the last while. It is a value; Add gives a new one.
type Window struct{ migration, kcm, ccm []Observation }

// Readings are one reading of each lease, at one time of the reader's own clock.
type Readings struct{ Migration, KCM, CCM Observation }

// Named is the reading of the Lease of a name.
func (r *Readings) Named(name string) *Observation {
	switch name {
	case wellknown.MigrationLease:
		return &r.Migration
	case wellknown.KCMLease:
		return &r.KCM
	case wellknown.CCMLease:
		return &r.CCM
	}
	return &Observation{} // of no lease that is read
}

// Taken are the same readings as of a time of the reader's own clock.
func (r Readings) Taken(at time.Duration) Readings {
	r.Migration.At, r.KCM.At, r.CCM.At = at, at, at
	return r
}

// Add takes a reading in and drops what lies further back than width, which has to
// be longer than the renew deadline in force: a holder that has not written for one
// is then known to be dead.
func (w Window) Add(r Readings, width time.Duration) Window {
	return Window{migration: add(w.migration, r.Migration, width), kcm: add(w.kcm, r.KCM, width), ccm: add(w.ccm, r.CCM, width)}
}

// Leases are the first and the last reading of each lease; zero while there is none.
func (w Window) Leases() Leases {
	return Leases{Migration: series(w.migration), KCM: series(w.kcm), CCM: series(w.ccm)}
}

func series(readings []Observation) Series {
	if len(readings) == 0 {
		return Series{}
	}
	return Series{First: readings[0], Last: readings[len(readings)-1]}
}

func add(before []Observation, now Observation, width time.Duration) []Observation {
	readings := append(append(make([]Observation, 0, len(before)+1), before...), now)
	for len(readings) > 1 && (now.At-readings[0].At > width || now.At < readings[0].At) { // a clock that was put back orders nothing
		readings = readings[1:]
	}
	return sinceMade(readings)
}

// sinceMade leaves out what was read before the lease that is there now existed: that
// time is no time without a renewal.
func sinceMade(readings []Observation) []Observation {
	for i := len(readings) - 2; i >= 0 && readings[i+1].Exists; i-- {
		if !readings[i].Exists {
			return readings[i+1:]
		}
	}
	return readings
}
