package judge

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// process is one run of a controller manager, known by the identity that it writes.
type process struct {
	identity string
	program  string // empty if unknown
	locks    map[string]*tenure
}

func (p *process) host() string { return lease.Host(p.identity) }

// flagged reports whether it ever held the migration lease: only a program with the flag does.
func (p *process) flagged() bool { return p.locks[wellknown.MigrationLease] != nil }

// mainLock returns the tenure of its program's own lease, or nil.
func (p *process) mainLock() *tenure { return p.locks[mainLeaseOf(p.program)] }

// known holds the judgement of a process that is the same for all controllers.
type known struct {
	*process
	link
	mode            record.Mode // of a kube-controller-manager, from a run; empty if unknown
	main, migration Bound       // the acquisitions of its leases
	end             Bound
	ended, byRule   time.Time
}

// judge judges one process; ok is false if it held no lease.
func (j *Judge) judge(p *process) (k known, ok bool) {
	main, migration := p.mainLock(), p.locks[wellknown.MigrationLease]
	k = known{process: p}
	if main != nil {
		k.main = j.acquisition(mainLeaseOf(p.program), main)
	}
	if migration != nil {
		k.migration = j.acquisition(wellknown.MigrationLease, migration)
	}
	begin, acquired := main, k.main
	if begin == nil {
		begin, acquired = migration, k.migration
	}
	if begin == nil {
		return k, false
	}
	l := life{acquired: acquired, stamp: begin.acquired, alive: j.alive(p)}
	for _, t := range p.locks {
		l.wrote = later(l.wrote, t.last.stamp)
	}
	k.link = j.linkOf(p, l)
	if p.program == wellknown.KCM {
		k.mode = j.modeOf(acquired.Latest, l.alive)
	}
	k.end, k.ended = j.ends(p, k.run, l.alive)
	k.byRule = j.byRule(p, k.timing(j.longest))
	return k, true
}

// acquisition returns when a tenure began.
func (j *Judge) acquisition(name string, t *tenure) Bound {
	b := Bound{Earliest: t.first.floor, Latest: t.first.received, Source: "lease"}
	if early, _, ok := j.clocks.local(t.before.host, t.before.stamp, t.before.received); ok {
		b.Earliest = later(b.Earliest, early)
	}
	if early, _, ok := j.clocks.local(t.first.host, t.acquired, t.first.received); ok {
		b.Earliest = later(b.Earliest, early)
	}
	if _, late, ok := j.clocks.local(t.first.host, t.first.stamp, t.first.received); ok && t.renewedOnce {
		b.Latest = earlier(b.Latest, late) // the first renewal follows the acquisition
	}
	// A leader that was unseen and lost its lease acquires it again before its renew deadline, or
	// never.
	for _, u := range j.unseen {
		if u.lease == name && !b.Earliest.After(u.until.Add(j.longest.gone())) && !b.Latest.Before(u.from) {
			b.Earliest = sooner(b.Earliest, u.from)
		}
	}
	return b
}

// alive returns the last time at which a process certainly ran, by its writes.
func (j *Judge) alive(p *process) time.Time {
	var last time.Time
	for _, t := range p.locks {
		if early, _, ok := j.clocks.local(t.last.host, t.last.stamp, t.last.received); ok {
			last = later(last, early)
		} else {
			last = later(last, t.last.floor)
		}
	}
	return last
}

// ends returns the bounds of a process's end. It ran at least until its last write, and until its
// container's end by its kubelet, if that clock is known. It had exited when that report was
// received. ended is the same by the kubelet's clock without its second: only for the length of a
// gap.
func (j *Judge) ends(p *process, r *run, alive time.Time) (b Bound, ended time.Time) {
	b = Bound{Earliest: alive, Source: "lease"}
	if r == nil || r.reported.IsZero() {
		return b, time.Time{}
	}
	b.Latest, b.Source = r.reported, "kubelet"
	early, late, ok := j.clocks.local(p.host(), r.finished, r.reported)
	if !ok || !late.Add(second).After(alive) {
		return b, r.reported
	}
	b.Earliest = later(alive, early)
	return b, earlier(b.Latest, late.Add(second))
}

// byRule returns when a process had exited by client-go's own rule: the earliest time over its
// leases, because the loss of one ends it. It is zero while the rule decides nothing.
func (j *Judge) byRule(p *process, t timing) time.Time {
	var rule time.Time
	for name, held := range p.locks {
		if end, ok := j.leases[name].exitedBy(held, t.gone()); ok {
			rule = earlier(rule, end)
		}
	}
	return rule
}

// timing returns the longest election timing that a process may have.
func (l link) timing(longest timing) timing {
	if len(l.pods) == 0 || l.open {
		return longest
	}
	t := timingOf(l.pods[0])
	for _, p := range l.pods[1:] {
		t = t.longest(timingOf(p))
	}
	return t
}

// role returns the role of a process for a controller: by the mode that a run recorded, and by
// the arguments of its possible pods.
func (k known) role(controller string) role {
	var r role
	for _, one := range k.pods {
		if k.mode == "" || k.mode == modeOfPod(one) {
			r = r.or(roleOf(one, controller, k.flagged()))
		}
	}
	if r == (role{}) && k.mode != "" {
		return roleOfMode(k.mode)
	}
	if r == (role{}) || k.open && k.mode == "" {
		r = r.or(unknownRole(k.flagged()))
	}
	return r
}
