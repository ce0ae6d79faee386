// Package lease judges who holds the leases of leader election and whether the
// holder is alive. It is pure: it compares readings with each other, never a
// server's time stamp with a local clock, as client-go's own candidates do.
package lease

import (
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Observation is one reading of one Lease.
type Observation struct {
	Exists          bool
	Holder          string // identity, "<host name>_<uuid>"; "" is nobody
	Duration        time.Duration
	Acquire, Renew  time.Time // the holder's clock: compare only with each other
	Transitions     int
	UID             string
	ResourceVersion string
	// Manager owns f:spec.f:renewTime in managedFields: the executable that
	// wrote the last renewal. "" when managedFields are not delivered.
	Manager string
	At      time.Duration // since the first reading of the series, by our own clock
}

// Fenced says whether a run of awsmigrate has written itself as the holder, for the one
// before to step down.
func (o Observation) Fenced() bool { return strings.HasPrefix(o.Holder, wellknown.Fence) }

// FenceLasts is how long a lease that was fenced stays so at the longest: whoever waits
// looks every retry period to 2.2 of them, sees the fence, and once more after the lease's
// duration (client-go:tools/leaderelection@v0.26.0). One that lasts longer has nobody who
// waits.
func (o Observation) FenceLasts() time.Duration {
	const twoLooks = 2 * 22 * component.DefaultRetryPeriod / 10
	return o.Duration + twoLooks
}

// Series are readings of one Lease, first and last. With one reading only,
// First equals Last.
type Series struct{ First, Last Observation }

// Span is how long the series looked.
func (s Series) Span() time.Duration { return s.Last.At - s.First.At }

// Renewed says whether the holder wrote between the two readings.
func (s Series) Renewed() bool {
	return s.First.Exists && s.Last.Exists && s.Last.Holder != "" && !s.Last.Fenced() &&
		(!s.Last.Renew.Equal(s.First.Renew) || s.Last.Transitions != s.First.Transitions || s.Last.UID != s.First.UID)
}

// Leases are the three leases, read together.
type Leases struct {
	Migration, KCM, CCM Series
}
