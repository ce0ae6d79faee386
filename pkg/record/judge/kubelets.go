package judge

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

const (
	// unbroken is the longest between two renewals of a kubelet that was in touch with its API
	// server all the time: it renews each 10 s, a quarter of its lease's 40 s
	// (kubernetes/kubernetes:pkg/kubelet/kubelet.go@v1.26.13, nodeLeaseRenewIntervalFraction).
	unbroken = 20 * time.Second
	// showsWithin is how long after a static pod's start, or after it is back in touch, a kubelet
	// shows that pod at most: it looks for an API server that was away less and less often, up to
	// once a minute, and shows no new pod before it has listed those there are. Measured on a
	// real kubelet: 36 s.
	showsWithin = 65 * time.Second
	// enoughRenewals are written after a new pod was seen before its kubelet is taken at its
	// word that nothing stands behind it: the rule of a run, in pkg/rke2.
	enoughRenewals = 2
	// grace is how long a process is given to end, by default
	// (kubernetes/kubernetes:pkg/apis/core/v1/defaults.go@v1.26.13).
	grace = 30 * time.Second
)

// kubelet is what its renewals of a Node's lease show.
type kubelet struct {
	last  time.Time // the newest renewal, by its own clock
	seen  time.Time // when that was received
	touch []span    // in which it was in touch with an API server without a break
}

// renewal takes in that a kubelet has renewed its Node's lease.
func (j *Judge) renewal(at time.Time, r record.Renewal) {
	k := j.kubelets[r.Node]
	if k == nil {
		k = &kubelet{}
		j.kubelets[r.Node] = k
	}
	j.renewed.notAfter(r.Node, r.Renew, at)
	j.renewed.notBefore(r.Node, r.Renew, r.Since, at)
	if !r.Renew.After(k.last) {
		return
	}
	if n := len(k.touch); n > 0 && r.Renew.Sub(k.last) <= unbroken && r.Since.Sub(k.seen) <= unbroken { // its clock may have been set
		k.touch[n-1].to = later(k.touch[n-1].to, r.Since)
	} else {
		k.touch = append(k.touch, span{at, at})
	}
	k.last, k.seen = r.Renew, at
	wasSet := j.renewed.around(r.Node, at).set()
	for _, p := range j.pods {
		if p.now.Node == r.Node {
			p.renewed(at, r, wasSet)
		}
	}
}

// renewed counts the renewals that were written after the start of a pod was seen. A kubelet
// whose API server was away renews within seconds, and shows what it started only when it
// has listed its pods again: shortly before it ends what it does not know any more. Where its
// clock was set, the recorder's says how long ago the start was seen.
func (p *pod) renewed(at time.Time, r record.Renewal, wasSet bool) {
	if !p.alone.IsZero() || p.shown.IsZero() || r.Since.Before(p.shown) {
		return
	}
	p.renewals++
	behind := r.Renew.Sub(p.firstStart())
	if wasSet {
		behind = r.Since.Sub(p.shown)
	}
	if p.renewals >= enoughRenewals && behind >= grace {
		p.alone = at
	}
}

// firstStart is the earliest start of a container of a pod, by its kubelet's clock.
func (p *pod) firstStart() time.Time {
	var first time.Time
	for _, r := range p.runs {
		first = earlier(first, r.started)
	}
	return first
}

// allShown says whether every static pod of a Node is seen whose process can have acquired a
// lease by a moment: its kubelet was in touch for so long afterwards.
func (j *Judge) allShown(node string, acquired time.Time) bool {
	k := j.kubelets[node]
	if k == nil {
		return false
	}
	for _, s := range k.touch {
		if earlier(s.to, j.podsFollowed()).Sub(later(s.from, acquired)) >= showsWithin {
			return true
		}
	}
	return false
}
