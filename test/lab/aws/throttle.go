package aws

import (
	"sync"
	"time"
)

// Throttle decides whether a call is refused with RequestLimitExceeded (EC2)
// or Throttling (the other services).
type Throttle func(caller, service, action string) bool

// TokenBucket throttles as EC2 does, with one bucket per service and action:
// burst calls at once, then perSecond.
func TokenBucket(now func() time.Time, perSecond float64, burst int) Throttle {
	type bucket struct {
		tokens float64
		at     time.Time
	}
	var mu sync.Mutex
	buckets := map[string]*bucket{}
	return func(_, service, action string) bool {
		mu.Lock()
		defer mu.Unlock()
		at := now()
		b := buckets[service+":"+action]
		if b == nil {
			b = &bucket{tokens: float64(burst), at: at}
			buckets[service+":"+action] = b
		}
		b.tokens = min(float64(burst), b.tokens+at.Sub(b.at).Seconds()*perSecond)
		b.at = at
		if b.tokens < 1 {
			return true
		}
		b.tokens--
		return false
	}
}
