package window

import "time"

// Sight is the look-ahead of the search for a closing.
const Sight = 31 * 24 * time.Hour

// State describes the windows at one time. Times are in UTC.
type State struct {
	Open   bool
	Closes time.Time // where open: when; the zero time: not within Sight
	Opens  time.Time // when the next stretch opens, where open the one after Closes; the zero time: none within Horizon, or no Closes
}

// At returns the state at a time. Without windows it is always open.
func (s Set) At(now time.Time) State {
	if len(s.windows) == 0 {
		return State{Open: true}
	}
	var state State
	for interval := range s.intervals(now, Sight) {
		if state.Open || interval.Opens.After(now) {
			state.Opens = interval.Opens
			break
		}
		state.Open = true
		if interval.Length() < Sight {
			state.Closes = interval.Closes
		}
	}
	return state
}
