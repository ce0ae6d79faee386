package judge

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// process is one run of a controller manager, by the identity that it writes.
type process struct {
	identity string
	program  string // "": nothing tells
	locks    map[string]*tenure
	led      map[string]time.Time // when an Event that it became leader was received, by lease
}

func (p *process) host() string { return lease.Host(p.identity) }

// flagged says whether it ever held the migration lease: only a program with the flag does.
func (p *process) flagged() bool { return p.locks[wellknown.MigrationLease] != nil }

// mainLock is the lease of its program.
func (p *process) mainLock() *tenure {
	if p.program == wellknown.CCM {
		return p.locks[wellknown.CCMLease]
	}
	return p.locks[wellknown.KCMLease]
}

// acquisition is when a tenure began.
func (j *Judge) acquisition(p *process, name string, t *tenure) Bound {
	b := Bound{Earliest: t.first.floor, Latest: t.first.received, Source: "lease"}
	if early, _, ok := j.local(t.before.host, t.before.stamp, t.before.received); ok {
		b.Earliest = later(b.Earliest, early)
	}
	if early, _, ok := j.local(t.first.host, t.acquired, t.first.received); ok {
		b.Earliest = later(b.Earliest, early)
	}
	if _, late, ok := j.local(t.first.host, t.first.stamp, t.first.received); ok && t.renewedOnce {
		b.Latest = earlier(b.Latest, late) // the acquisition was over when it was renewed
	}
	// One that led unseen, and lost its lease, takes it again before its renew deadline or
	// never.
	for _, u := range j.unseen {
		if u.lease == name && !b.Earliest.After(u.until.Add(j.timing().gone())) && !b.Latest.Before(u.from) {
			b.Earliest = sooner(b.Earliest, u.from)
		}
	}
	if led := p.led[name]; !led.IsZero() && led.Before(b.Latest) {
		b.Latest, b.Source = led, "event"
	}
	return b
}

// alive is the last moment in which a process is known to have run by what it wrote.
func (j *Judge) alive(p *process) time.Time {
	var last time.Time
	for _, t := range p.locks {
		if early, _, ok := j.local(t.last.host, t.last.stamp, t.last.received); ok {
			last = later(last, early)
		} else {
			last = later(last, t.last.floor)
		}
	}
	return last
}

// ends are the bounds of a process's end: until when it ran for certain, and by when it
// had certainly ended.
func (j *Judge) ends(p *process, l link) Bound {
	b := Bound{Earliest: j.alive(p), Source: "lease"}
	if l.run == nil || l.run.reported.IsZero() {
		return b
	}
	b.Latest, b.Source = l.run.reported, "kubelet"
	early, late, ok := j.local(p.host(), l.run.finished, l.run.reported)
	late = late.Add(second)
	if ok && late.After(b.Earliest) {
		b.Earliest, b.Latest = later(b.Earliest, early), earlier(b.Latest, late)
	}
	return b
}

// byRule is when a process had ended by client-go's own rule, the earliest over its
// leases: whoever loses one of them exits. Zero: the rule says nothing yet.
func (j *Judge) byRule(p *process, t timing) time.Time {
	var rule time.Time
	for name, held := range p.locks {
		if end, ok := j.leases[name].goneBy(held, t.gone()); ok {
			rule = earlier(rule, end)
		}
	}
	return rule
}

// timing are the longest durations that any program was seen to elect by.
func (j *Judge) timing() timing {
	t := defaults()
	for _, uid := range j.podOrder {
		t = t.longest(timingOf(j.pods[uid].now))
	}
	return t
}

// timing are the longest durations that a process may elect by.
func (l link) timing(seen timing) timing {
	if len(l.pods) == 0 {
		return seen
	}
	t := timingOf(l.pods[0])
	if l.hidden {
		t = t.longest(seen)
	}
	for _, p := range l.pods[1:] {
		t = t.longest(timingOf(p))
	}
	return t
}

// role is what a process may be with respect to a controller.
func (l link) role(p *process, controller string) role {
	if len(l.pods) == 0 {
		return unknownRole(p.flagged())
	}
	r := roleOf(l.pods[0], controller, p.flagged())
	for _, one := range l.pods[1:] {
		r = r.or(roleOf(one, controller, p.flagged()))
	}
	if l.hidden {
		r = r.or(unknownRole(p.flagged()))
	}
	return r
}
