package lease

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Window holds the recent readings of the three leases. It is a value: Add returns a new one.
type Window struct{ migration, kcm, ccm []Observation }

// Readings holds one reading of each lease, taken at the same time.
type Readings struct{ Migration, KCM, CCM Observation }

// Named returns the reading of the Lease with this name.
func (r *Readings) Named(name string) *Observation {
	switch name {
	case wellknown.MigrationLease:
		return &r.Migration
	case wellknown.KCMLease:
		return &r.KCM
	case wellknown.CCMLease:
		return &r.CCM
	}
	return &Observation{} // no such lease: writes to it have no effect
}

// Taken returns the readings with their time set, by the local clock.
func (r Readings) Taken(at time.Duration) Readings {
	r.Migration.At, r.KCM.At, r.CCM.At = at, at, at
	return r
}

// Add returns a window with the reading added and without readings older than width. width
// must exceed the renew deadline in force: a holder that has not written for that long is
// dead.
func (w Window) Add(r Readings, width time.Duration) Window {
	return Window{migration: appendReading(w.migration, r.Migration, width), kcm: appendReading(w.kcm, r.KCM, width), ccm: appendReading(w.ccm, r.CCM, width)}
}

// Leases returns the first and the last reading of each lease, or zero values.
func (w Window) Leases() Leases {
	return Leases{Migration: endsOf(w.migration), KCM: endsOf(w.kcm), CCM: endsOf(w.ccm)}
}

func endsOf(readings []Observation) Series {
	if len(readings) == 0 {
		return Series{}
	}
	return Series{First: readings[0], Last: readings[len(readings)-1]}
}

func appendReading(before []Observation, now Observation, width time.Duration) []Observation {
	readings := append(append(make([]Observation, 0, len(before)+1), before...), now)
	for len(readings) > 1 && (now.At-readings[0].At > width || now.At < readings[0].At) { // a clock set back makes older readings incomparable
		readings = readings[1:]
	}
	return dropBeforeCreation(readings)
}

// dropBeforeCreation drops readings from before the current Lease was created: that time does
// not count as time without a renewal.
func dropBeforeCreation(readings []Observation) []Observation {
	for i := len(readings) - 2; i >= 0 && readings[i+1].Exists; i-- {
		if !readings[i].Exists {
			return readings[i+1:]
		}
	}
	return readings
}
