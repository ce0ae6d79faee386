// Package lease judges who holds the leases of leader election and whether the holder is
// alive. It compares readings with each other and never a server's timestamp with a local
// clock, as client-go's candidates do. It makes no requests.
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
	Holder          string // identity "<host name>_<uuid>", or "" without a holder
	Duration        time.Duration
	Acquire, Renew  time.Time // by the holder's clock: compare only with each other
	Transitions     int
	UID             string
	ResourceVersion string
	// Manager is the owner of f:spec.f:renewTime in managedFields: the executable that wrote
	// the last renewal. It is empty without managedFields.
	Manager string
	At      time.Duration // since the first reading of the series, by the local clock
}

// Fenced reports whether a run of awsmigrate wrote itself as the holder, so that the
// previous holder steps down.
func (o Observation) Fenced() bool { return strings.HasPrefix(o.Holder, wellknown.Fence) }

// TakenWithin returns the maximum time in which a waiting candidate takes a lease that is renewed
// no longer, or fenced. The candidate polls every 1 to 2.2 retry periods, sees the last change, and
// polls once more after the lease's duration (client-go:tools/leaderelection@v0.26.0). After a
// longer time no candidate is waiting.
func (o Observation) TakenWithin() time.Duration {
	const twoLooks = 2 * 22 * component.DefaultRetryPeriod / 10
	return o.Duration + twoLooks
}

// Series holds the first and the last reading of one Lease. They are equal if there is only
// one reading.
type Series struct{ First, Last Observation }

// Span returns the time between the two readings.
func (s Series) Span() time.Duration { return s.Last.At - s.First.At }

// Renewed reports whether the holder wrote between the two readings.
func (s Series) Renewed() bool {
	return s.First.Exists && s.Last.Exists && s.Last.Holder != "" && !s.Last.Fenced() &&
		(!s.Last.Renew.Equal(s.First.Renew) || s.Last.Transitions != s.First.Transitions || s.Last.UID != s.First.UID)
}

// Leases holds the series of the three leases, which are read together.
type Leases struct {
	Migration, KCM, CCM Series
}
