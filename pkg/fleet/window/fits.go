package window

import (
	"fmt"
	"math"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// ReasonTooShort is of a block that fits no window.
const ReasonTooShort = "WindowTooShort"

// Fit says when a block of steps may begin. Times are in UTC.
type Fit struct {
	Planned time.Duration
	Need    time.Duration // what has to be left of a stretch: the planned time, doubled
	Now     bool          // it may begin now
	Begin   time.Time     // the first moment from now on at which it may; the zero time: none within Horizon
	Longest Stretch       // where none is: the longest that there is from now on; the zero value: nothing opens
}

// Doubled is what a block has to find left of a window: twice its planned time. An
// estimate may be wrong by as much as itself, and a begun block is never cut.
func Doubled(planned time.Duration) time.Duration {
	return 2 * min(max(planned, 0), math.MaxInt64/2)
}

// Fits says whether a block of this planned time, which it doubles itself, may begin
// now, and else when. Asked at planning time it says that a block would wait for ever:
// Fit.Err. Without windows everything fits. What needs more than Horizon fits none.
func (s Set) Fits(now time.Time, planned time.Duration) Fit {
	fit := Fit{Planned: planned, Need: Doubled(planned)}
	if len(s.windows) == 0 {
		fit.Now, fit.Begin = true, now.Round(0).UTC()
		return fit
	}
	for stretch := range s.stretches(now, min(fit.Need, Horizon)) {
		if stretch.Length() >= fit.Need {
			return Fit{Planned: planned, Need: fit.Need, Now: !stretch.Opens.After(now), Begin: stretch.Opens}
		}
		if stretch.Length() > fit.Longest.Length() {
			fit.Longest = stretch
		}
	}
	return fit
}

// Err is nil if the block may begin at some time. Else it is a fault.Error of class
// Usage with ReasonTooShort that names the longest stretch.
func (f Fit) Err() error {
	if !f.Begin.IsZero() {
		return nil
	}
	seen := "none opens within " + horizonText()
	if f.Longest != (Stretch{}) {
		seen = fmt.Sprintf("the longest within %s is %s, from %s", horizonText(), short(f.Longest.Length()), f.Longest.Opens.Format(time.RFC3339))
	}
	return &fault.Error{Class: fault.Usage, Reason: ReasonTooShort, Object: "windows", Seen: seen,
		Wanted: fmt.Sprintf("one of %s: the planned %s, doubled", short(f.Need), short(f.Planned)),
		Fix:    "lengthen a window, or let one follow another without a gap"}
}

func horizonText() string { return fmt.Sprintf("%d days", Horizon/(24*time.Hour)) }
