package aws

import (
	"strings"
	"sync"
	"time"
)

// Throttle decides whether a call is refused with RequestLimitExceeded (EC2)
// or Throttling (the other services).
type Throttle func(caller, service, action string) bool

// TokenBucket throttles as EC2 does, with one bucket per service and action:
// burst calls at once, then perSecond.
func TokenBucket(now func() time.Time, perSecond float64, burst int) Throttle {
	b := newBuckets(now, perSecond, burst)
	return func(_, service, action string) bool { return b.empty(service + ":" + action) }
}

// BalancerLimits throttles the Describe actions of both load balancing APIs, as AWS does for an
// account in a region: one bucket for each API, with 40 tokens (Elastic Load Balancing user guide,
// "Request throttling for the Elastic Load Balancing API"), refilled with 10 a second
// (aws-load-balancer-controller:pkg/aws/throttle/defaults.go).
func BalancerLimits(now func() time.Time) Throttle {
	b := newBuckets(now, 10, 40)
	return func(_, service, action string) bool {
		return strings.HasPrefix(service, "elb") && strings.HasPrefix(action, "Describe") && b.empty(service)
	}
}

// buckets are token buckets by name.
type buckets struct {
	now       func() time.Time
	perSecond float64
	burst     float64
	mu        sync.Mutex
	all       map[string]*bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

func newBuckets(now func() time.Time, perSecond float64, burst int) *buckets {
	return &buckets{now: now, perSecond: perSecond, burst: float64(burst), all: map[string]*bucket{}}
}

// empty takes a token from a bucket, or reports that it has none.
func (bs *buckets) empty(name string) bool {
	bs.mu.Lock()
	defer bs.mu.Unlock()
	at := bs.now()
	b := bs.all[name]
	if b == nil {
		b = &bucket{tokens: bs.burst, at: at}
		bs.all[name] = b
	}
	b.tokens = min(bs.burst, b.tokens+at.Sub(b.at).Seconds()*bs.perSecond)
	b.at = at
	if b.tokens < 1 {
		return true
	}
	b.tokens--
	return false
}
