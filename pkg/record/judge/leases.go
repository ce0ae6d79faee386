package judge

import (
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// write is one version of a lease by its holder.
type write struct {
	host     string
	stamp    time.Time // the holder's clock, shortly before the write
	floor    time.Time // not written before, by order and by reads past the cache; zero: not known
	received time.Time // written before
}

// tenure is how long one identity held one lease, with pauses in which nobody did.
type tenure struct {
	first, last write
	before      write     // the last version before the first of these
	acquired    time.Time // holder's clock
	renewedOnce bool      // the first version that was seen was a renewal already
	// over is when another holder, or none, was first received; zero: it holds it still.
	// wrote is by when its last write was made then.
	over, wrote time.Time
}

// watched is one lease as it was followed.
type watched struct {
	version, previous string // resource versions
	current           record.Lease
	last              write
	quiet             time.Time // nothing newer than the current version was written before
	seen              bool
	lost              time.Time // end of the last stretch that was not watched
	recent            []string  // versions, as they were received
	// ahead is a version that an API server had, and that the watch has not shown: asked for
	// then. "": none.
	ahead   string
	aheadAt time.Time
}

// A watch that hangs says nothing. It is behind where a read past the cache has shown for so
// long that a lease was written, and the watch has not.
const tolerated = 2 * time.Second

// mostRecent bounds what is kept of versions, to tell a read that came late from one that is
// ahead.
const mostRecent = 32

// received notes that the watch has shown a version.
func (w *watched) received(version string, lost bool) {
	if version == w.ahead || lost {
		w.ahead = ""
	}
	w.recent = append(w.recent, version)
	w.recent = w.recent[max(0, len(w.recent)-mostRecent):]
}

// answered notes which version an API server had.
func (w *watched) answered(v record.Version) {
	switch {
	case v.ResourceVersion == w.version:
		w.ahead = ""
	case w.ahead == "" && !slices.Contains(w.recent, v.ResourceVersion):
		w.ahead, w.aheadAt = v.ResourceVersion, v.Sent
	}
}

// behind are the stretches to the end in which a lease was written, and nobody saw by whom.
func (j *Judge) behind() []unseen {
	var all []unseen
	for _, name := range record.LeaseNames() {
		if w := j.leases[name]; w != nil && w.ahead != "" && j.until.Sub(w.aheadAt) >= tolerated {
			all = append(all, unseen{lease: name, from: later(w.quiet, w.last.floor), until: j.until})
		}
	}
	return all
}

// lease takes in the next version of a lease.
func (j *Judge) lease(at time.Time, l record.Lease) {
	w := j.leases[l.Name]
	if w == nil {
		w = &watched{lost: j.listedAnew(at)}
		j.leases[l.Name] = w
	}
	lost := w.lost
	w.lost = time.Time{}
	if w.seen && l.ResourceVersion == w.version && l.Gone == w.current.Gone {
		return
	}
	w.seen = true
	w.received(l.ResourceVersion, !lost.IsZero())
	this := write{host: lease.Host(l.Holder), stamp: l.Renew, floor: later(w.quiet, w.last.floor), received: at}
	if l.Renew.Equal(w.current.Renew) {
		this.stamp = time.Time{} // written by somebody else than its holder
	}
	j.clocks.notAfter(this.host, this.stamp, at)
	j.clocks.notBefore(this.host, this.stamp, w.quiet, at)
	before, old := w.last, w.current
	w.previous, w.version, w.current, w.last, w.quiet = w.version, l.ResourceVersion, l, this, time.Time{}
	hidden := !lost.IsZero() && j.unseenHolders(at, before, old, l)
	if old.Holder != "" && old.Holder != l.Holder {
		if p := j.processes[old.Holder]; p != nil && p.locks[l.Name] != nil {
			p.locks[l.Name].end(at, !lost.IsZero())
		}
	}
	if l.Holder == "" || l.Gone || strings.HasPrefix(l.Holder, wellknown.Fence) { // a fence is no process
		return
	}
	p := j.process(l)
	t := p.locks[l.Name]
	if t == nil {
		t = &tenure{first: this, before: before, acquired: l.Acquire, renewedOnce: l.Renew.After(l.Acquire)}
		if hidden { // it may have held it before, and this be another acquisition of its own
			t.acquired, t.first.floor = time.Time{}, before.floor
		}
		p.locks[l.Name] = t
	}
	t.over = time.Time{}
	if !this.stamp.IsZero() || t.last.received.IsZero() {
		t.last = this
	}
}

// unseenHolders notes that somebody may have held a lease whom nobody saw: its count of
// transitions says so, or it was made anew in a stretch that was not watched.
func (j *Judge) unseenHolders(at time.Time, before write, old, now record.Lease) bool {
	from := before.floor
	if old.UID == "" { // it was made unseen
		from = j.lostSince(at)
	}
	known := 0 // acquisitions; whoever empties a lease, or writes another's name, does not count
	if old.Holder != now.Holder && now.Holder != "" && lease.ByManager(now.Manager) != lease.Foreign {
		known = 1
	}
	if old.UID == now.UID && now.Transitions-old.Transitions <= known && !now.Gone {
		return false
	}
	j.unseen = append(j.unseen, unseen{lease: now.Name, from: from, until: at})
	return true
}

// end notes that somebody else was received as the holder. Where versions may have been
// missed before, the last write may have been as late as that.
func (t *tenure) end(at time.Time, missed bool) {
	t.over, t.wrote = at, t.last.received
	if missed {
		t.wrote = at
	}
}

// unseen is a stretch in which a process that was not seen may have held a lease.
type unseen struct {
	lease       string
	from, until time.Time
}

// checked takes in which versions there were when somebody asked.
func (j *Judge) checked(at time.Time, c record.Checked) {
	for name, v := range c.Versions {
		w := j.leases[name]
		if w == nil {
			continue
		}
		w.answered(v)
		switch v.ResourceVersion {
		case w.version:
			w.quiet = later(w.quiet, v.Sent)
		case w.previous: // the newer one came while the question was on its way
			if w.previous == "" || !w.last.floor.Before(v.Sent) {
				continue
			}
			w.last.floor = v.Sent
			j.clocks.notBefore(w.last.host, w.last.stamp, v.Sent, at)
			j.raise(name, w)
		}
	}
}

// raise carries a floor that was learned late to the tenure whose write it is about.
func (j *Judge) raise(name string, w *watched) {
	p := j.processes[w.current.Holder]
	if p == nil || p.locks[name] == nil {
		return
	}
	t := p.locks[name]
	if t.last.received.Equal(w.last.received) {
		t.last.floor = w.last.floor
	}
	if t.first.received.Equal(w.last.received) {
		t.first.floor = w.last.floor
	}
}

// process is that of an identity, which is made on its first sight.
func (j *Judge) process(l record.Lease) *process {
	p := j.processes[l.Holder]
	if p == nil {
		p = &process{identity: l.Holder, locks: map[string]*tenure{}, led: map[string]time.Time{}}
		j.processes[l.Holder] = p
		j.order = append(j.order, l.Holder)
	}
	switch {
	case l.Name == wellknown.KCMLease:
		p.program = wellknown.KCM
	case l.Name == wellknown.CCMLease:
		p.program = wellknown.CCM
	case p.program == "":
		switch lease.ByManager(l.Manager) {
		case lease.KCM:
			p.program = wellknown.KCM
		case lease.CCM:
			p.program = wellknown.CCM
		default: // who it is shows in a main lease, or never
		}
	}
	return p
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// earlier is the earlier of two moments, of which a zero one is not known.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
