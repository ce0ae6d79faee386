package procedure

import "time"

// BackOff is the longest pause that a kubelet makes between two starts of a container
// which ends again and again (kubernetes/kubernetes:pkg/kubelet/kubelet.go@v1.26.13,
// MaxContainerBackOff). For that long after an API server was away, what ended for
// want of it may still stand still.
const BackOff = 5 * time.Minute

// outage is what a run knows of its own readings, by its own clock.
type outage struct {
	failed time.Time // the last reading that failed; zero: none
	gap    bool      // no reading has succeeded since
	before bool      // the reading before the last one failed
}

func (o outage) next(now time.Time, err error) outage {
	if err != nil {
		return outage{failed: now, gap: true}
	}
	return outage{failed: o.failed, before: o.gap}
}

// recent says whether what stands still now may do so for want of an API.
func (o outage) recent(now time.Time) bool {
	return !o.failed.IsZero() && now.Sub(o.failed) < BackOff
}
