package lease

import "time"

// Witness is a time through which API servers answered without a longer pause than a
// holder's renew deadline, by one holder's clock: it kept its lease from the one to the
// other, and gives up a lease that it cannot renew
// (k8s.io/client-go:tools/leaderelection/leaderelection.go@v0.26.0, renew).
type Witness struct{ From, Now time.Time }

// WitnessOf is the longest such time that a holder alive now has seen. false: nobody was
// seen to renew.
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

// For is how long something that began at a time by a clock of the same cluster has lasted
// while API servers answered; 0: it may have had no API server to end by.
func (w Witness) For(since time.Time) time.Duration {
	if since.IsZero() {
		return 0
	}
	if since.Before(w.From) {
		since = w.From
	}
	return max(w.Now.Sub(since), 0)
}
