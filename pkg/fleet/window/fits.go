package window

import (
	"fmt"
	"math"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// ReasonTooShort is the reason of a block that fits into no window.
const ReasonTooShort = "WindowTooShort"

// Fit describes when a block of steps may begin. Times are in UTC.
type Fit struct {
	Planned time.Duration
	Need    time.Duration // required rest of a window: twice the planned time
	Now     bool          // the block may begin now
	Begin   time.Time     // earliest time to begin, or zero if no window within Horizon fits
	Longest Interval      // if Begin is zero, the longest future window; zero if none opens
}

// Doubled returns the time that must be left of a window: twice the planned time. An estimate may
// be wrong by its own length, and a block in progress is never interrupted.
func Doubled(planned time.Duration) time.Duration {
	return 2 * min(max(planned, 0), math.MaxInt64/2)
}

// Fits returns when a block of the given planned time may begin; it doubles the time itself. If
// the block never fits, Fit.Err returns an error, which is known already at planning time.
// Without windows every block fits; a block longer than Horizon never does.
func (s Set) Fits(now time.Time, planned time.Duration) Fit {
	fit := Fit{Planned: planned, Need: Doubled(planned)}
	if len(s.windows) == 0 {
		fit.Now, fit.Begin = true, now.Round(0).UTC()
		return fit
	}
	for interval := range s.intervals(now, min(fit.Need, Horizon)) {
		if interval.Length() >= fit.Need {
			return Fit{Planned: planned, Need: fit.Need, Now: !interval.Opens.After(now), Begin: interval.Opens}
		}
		if interval.Length() > fit.Longest.Length() {
			fit.Longest = interval
		}
	}
	return fit
}

// Err returns nil if the block may begin at some time. Otherwise it returns a fault.Error of
// class Usage with ReasonTooShort that names the longest window.
func (f Fit) Err() error {
	if !f.Begin.IsZero() {
		return nil
	}
	seen := "none opens within " + horizonText()
	if f.Longest != (Interval{}) {
		seen = fmt.Sprintf("the longest within %s is %s, from %s", horizonText(), short(f.Longest.Length()), f.Longest.Opens.Format(time.RFC3339))
	}
	return &fault.Error{Class: fault.Usage, Reason: ReasonTooShort, Object: "windows", Seen: seen,
		Wanted: fmt.Sprintf("one of %s: the planned %s, doubled", short(f.Need), short(f.Planned)),
		Fix:    "lengthen a window, or let one follow another without a gap"}
}

func horizonText() string { return fmt.Sprintf("%d days", Horizon/(24*time.Hour)) }
