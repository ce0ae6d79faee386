package lease

import "time"

// Witness is a period in which API servers answered, by one holder's clock. The holder kept
// its lease from From to Now. It gives up a lease that it cannot renew, so no outage in
// between lasted longer than its renew deadline
// (k8s.io/client-go:tools/leaderelection/leaderelection.go@v0.26.0, renew).
type Witness struct{ From, Now time.Time }

// WitnessOf returns the longest period that a living holder witnessed, or false if no holder
// renewed between the readings.
func WitnessOf(l Leases) (Witness, bool) {
	var longest Witness
	for _, s := range []Series{l.Migration, l.KCM, l.CCM} {
		if !s.Renewed() || s.First.UID != s.Last.UID || s.First.Transitions != s.Last.Transitions {
			continue
		}
		if w := (Witness{s.Last.Acquire, s.Last.Renew}); !w.From.IsZero() && w.Now.Sub(w.From) > longest.Now.Sub(longest.From) {
			longest = w
		}
	}
	return longest, !longest.From.IsZero()
}

// For returns how long an event that began at since has lasted while API servers answered.
// since is by a clock of the same cluster. 0 means that there is no proof of an API server.
func (w Witness) For(since time.Time) time.Duration {
	if since.IsZero() {
		return 0
	}
	if since.Before(w.From) {
		since = w.From
	}
	return max(w.Now.Sub(since), 0)
}
