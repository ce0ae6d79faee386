package judge

import (
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
	ahead             record.Version // the last that was read and not received before
	last              write
	quiet             time.Time // nothing newer than the current version was written before
	seen, read        bool      // a version of it was received; a read of it was answered
	lost              span      // the last stretch that was not watched, while no version has followed it; else zero
	blind             []span    // those that a version has followed
}

// maxSilence is for how long no read may confirm what the watch of a lease shows before the end
// of a record counts as not watched. Leases are read each second; a watch that hangs shows nothing.
const maxSilence = 4 * time.Second

// missed notes a stretch in which versions may have been lost.
func (w *watched) missed(from, until time.Time) {
	if !w.lost.to.IsZero() {
		from = earlier(w.lost.from, from)
	}
	w.lost = span{from, until}
}

// followed says whether versions may have been lost before this moment, in which one was
// received again.
func (w *watched) followed(at time.Time) (lost bool) {
	if w.lost.to.IsZero() {
		return false
	}
	w.blind, w.lost = append(w.blind, span{w.lost.from, at}), span{}
	return true
}

// goneBy is when whoever had a tenure had ended by client-go's rule: that it did not write
// again. ok is false where that is not seen: the lease was not followed for so long. Whoever
// lost a lease may have taken it again, and lost it once more, where nobody looked.
func (w *watched) goneBy(t *tenure, gone time.Duration) (end time.Time, ok bool) {
	end = t.last.received.Add(gone)
	if !t.over.IsZero() {
		end = t.wrote.Add(gone)
		for _, b := range w.blind {
			if b.to.After(t.over) && b.from.Before(end) {
				end = later(end, b.to.Add(gone))
			}
		}
	}
	return end, !w.known().Before(end)
}

// known is the moment before which every version of a lease that was written is known.
func (w *watched) known() time.Time { return later(w.quiet, w.last.floor) }

// behind returns the stretches at the end of the record in which a lease may have been written
// unseen: no read has confirmed what its watch shows.
func (j *Judge) behind() []unseen {
	var all []unseen
	for _, name := range record.LeaseNames() {
		since := j.asked
		if w := j.leases[name]; w != nil && w.read {
			since = later(w.known(), j.from)
		}
		if !since.IsZero() && j.until.Sub(since) >= maxSilence {
			all = append(all, unseen{lease: name, from: since, until: j.until, why: "no read confirms what its watch shows"})
		}
	}
	return all
}

// followedUntil is when the last stretch began in which leases were not seen, if it lasts to
// the end, else the end.
func (j *Judge) followedUntil() time.Time {
	until := j.until
	for _, u := range j.behind() {
		until = earlier(until, later(u.from, j.from))
	}
	return until
}

// lease takes in the next version of a lease.
func (j *Judge) lease(at time.Time, l record.Lease) {
	w := j.leases[l.Name]
	if w == nil {
		w = &watched{}
		if since := j.lostSince(record.Leases, at); since.Before(at) {
			w.lost = span{since, at}
		}
		j.leases[l.Name] = w
	}
	lost := w.followed(at)
	if w.seen && l.ResourceVersion == w.version {
		if lost && l.Gone { // it may have been made and deleted where nobody looked
			from := sooner(w.known(), w.blind[len(w.blind)-1].from) // that it was not there at times says nothing
			j.hides(unseen{lease: l.Name, from: from, until: at, why: "it may have been there in between"})
		}
		return
	}
	first := !w.seen
	w.seen = true
	this := write{host: lease.Host(l.Holder), stamp: l.Renew, floor: w.known(), received: at}
	if l.Renew.Equal(w.current.Renew) {
		this.stamp = time.Time{} // written by somebody else than its holder
	}
	j.clocks.learn(this)
	before, old := w.last, w.current
	w.previous, w.version, w.current, w.last, w.quiet = w.version, l.ResourceVersion, l, this, time.Time{}
	if w.ahead.ResourceVersion == w.version { // a read confirmed it before it was received
		w.quiet = w.ahead.Sent
	}
	if first && !lost { // listed since the record began
		w.quiet = j.opened
	}
	hidden := lost && j.unseenHolders(at, before, old, l)
	if old.Holder != "" && old.Holder != l.Holder {
		if p := j.processes[old.Holder]; p != nil && p.locks[l.Name] != nil {
			p.locks[l.Name].end(at, lost)
			if !lost && l.Holder != "" && lease.ByManager(l.Manager) != lease.Foreign {
				p.locks[l.Name].waitedFor(at, min(old.Seconds, l.Seconds))
			}
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
			t.acquired = time.Time{}
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
	if old.UID == "" && old.Name != "" { // it was made unseen
		from = j.lostSince(record.Leases, at)
	}
	known := 0 // acquisitions; whoever empties a lease, or writes another's name, does not count
	if old.Holder != now.Holder && now.Holder != "" && lease.ByManager(now.Manager) != lease.Foreign {
		known = 1
	}
	more := now.Transitions - old.Transitions // less than none: whoever wrote it did not count
	if old.UID == now.UID && more >= 0 && more <= known {
		return false
	}
	j.hides(unseen{lease: now.Name, from: from, until: at, why: "it was written in between"})
	return true
}

// hides notes a stretch, as a part of the last one where both meet.
func (j *Judge) hides(u unseen) {
	if n := len(j.unseen) - 1; n >= 0 && j.unseen[n].lease == u.lease && !u.from.After(j.unseen[n].until) {
		j.unseen[n].from, j.unseen[n].until = sooner(j.unseen[n].from, u.from), u.until
		return
	}
	j.unseen = append(j.unseen, u)
}

// end notes that somebody else was received as the holder. Where versions may have been
// missed before, the last write may have been as late as that.
func (t *tenure) end(at time.Time, missed bool) {
	t.over, t.wrote = at, t.last.received
	if missed {
		t.wrote = at
	}
}

// waitedFor notes that a process took the lease that this one had held: it had seen no write of it
// for the duration of the lease, unless what was read shows that it did not wait.
func (t *tenure) waitedFor(taken time.Time, seconds int) {
	if wrote := taken.Add(-time.Duration(seconds) * time.Second); !wrote.Before(t.last.floor) {
		t.wrote = earlier(t.wrote, wrote)
	}
}

// unseen is a stretch in which a process that was not seen may have held a lease.
type unseen struct {
	lease       string
	from, until time.Time // a zero from is before everything
	why         string    // in words for people
}

// checked takes in which versions there were when somebody asked.
func (j *Judge) checked(c record.Checked) {
	for name, v := range c.Versions {
		j.asked = later(j.asked, v.Sent)
		w := j.leases[name]
		if w == nil {
			continue
		}
		w.read = true
		switch v.ResourceVersion {
		case w.version:
			if w.current.Gone && !w.lost.to.IsZero() {
				continue // it may have been made and deleted where nobody looked
			}
			w.quiet = later(w.quiet, v.Sent)
		case w.previous: // the newer one came while the question was on its way
			if w.previous == "" || !w.last.floor.Before(v.Sent) {
				continue
			}
			w.last.floor = v.Sent
			j.clocks.learn(w.last)
			j.raise(name, w)
		default:
			w.ahead = v
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
		p = &process{identity: l.Holder, locks: map[string]*tenure{}}
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

// sooner is the earlier of two moments, of which a zero one is before everything.
func sooner(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// earlier is the earlier of two moments, of which a zero one is not known.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
