package judge

import (
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// write is a version of a lease that its holder wrote.
type write struct {
	host     string
	stamp    time.Time // the holder's clock, shortly before the write
	floor    time.Time // earliest time of the write, by order and by reads past the cache; zero if unknown
	received time.Time // latest time of the write
}

// tenure is the time in which one identity held one lease, including pauses without a holder.
type tenure struct {
	first, last write
	before      write     // the last version before the tenure
	acquired    time.Time // holder's clock
	renewedOnce bool      // the first observed version was a renewal
	// over is the first receipt of another holder or none, or zero if it still holds the lease.
	// wrote is the latest time of its last write, as known then.
	over, wrote time.Time
}

// watched is a lease and how it was watched.
type watched struct {
	version, previous string // resource versions
	current           record.Lease
	ahead             record.Version // the last version that a read returned before its receipt
	last              write
	row               []write   // the last writes by one host whose stamps limit its clock
	quiet             time.Time // no newer version was written before this time
	seen, read        bool      // a version was received; a read was answered
	lost              span      // the last unwatched span if no version has followed it, or zero
	blind             []span    // unwatched spans that a version has followed
}

// maxSilence limits the time without a confirming read at the end of a record; a longer one
// counts as unwatched. Leases are read each second; a watch that hangs shows nothing.
const maxSilence = 4 * time.Second

// missed notes a span in which versions may have been lost.
func (w *watched) missed(from, until time.Time) {
	if !w.lost.to.IsZero() {
		from = earlier(w.lost.from, from)
	}
	w.lost = span{from, until}
}

// followed ends an unwatched span with a received version. lost reports whether versions may have
// been lost before it.
func (w *watched) followed(at time.Time) (lost bool) {
	if w.lost.to.IsZero() {
		return false
	}
	w.blind, w.lost = append(w.blind, span{w.lost.from, at}), span{}
	return true
}

// exitedBy returns when the holder of a tenure must have exited by client-go's rule, because it
// did not write again. ok is false if the lease was not watched that long: in a gap the holder
// may have acquired the lease and lost it again.
func (w *watched) exitedBy(t *tenure, gone time.Duration) (end time.Time, ok bool) {
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

// known returns the time before which every written version of a lease is known.
func (w *watched) known() time.Time { return later(w.quiet, w.last.floor) }

// behind returns the spans at the end of the record in which a lease may have been written
// unseen, because no read confirmed its watch.
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

// followedUntil returns the begin of the gap at the end of the record, or the end without one.
func (j *Judge) followedUntil() time.Time {
	until := j.until
	for _, u := range j.behind() {
		until = earlier(until, later(u.from, j.from))
	}
	return until
}

// lease consumes the next version of a lease.
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
		if lost && l.Gone { // it may have been created and deleted in the gap
			from := sooner(w.known(), w.blind[len(w.blind)-1].from) // its absence at times proves nothing
			j.hides(unseen{lease: l.Name, from: from, until: at, why: "it may have been there in between"})
		}
		return
	}
	first := !w.seen
	w.seen = true
	this := write{host: lease.Host(l.Holder), stamp: l.Renew, floor: w.known(), received: at}
	if l.Renew.Equal(w.current.Renew) {
		this.stamp = time.Time{} // not written by its holder
	}
	j.clocks.learn(this)
	j.clocks.learnRow(w.inRow())
	before, old := w.last, w.current
	w.previous, w.version, w.current, w.last, w.quiet = w.version, l.ResourceVersion, l, this, time.Time{}
	if w.ahead.ResourceVersion == w.version { // a read confirmed it before its receipt
		w.quiet = w.ahead.Sent
	}
	if first && !lost { // part of the first list
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
		if hidden { // it may have held the lease before, and acquired it again
			t.acquired = time.Time{}
		}
		p.locks[l.Name] = t
	}
	t.over = time.Time{}
	if !this.stamp.IsZero() || t.last.received.IsZero() {
		t.last = this
	}
}

// inRow appends the last version, whose floor is final once another one is received, to the row of
// its host, and returns the row.
func (w *watched) inRow() []write {
	switch {
	case w.last.host == "" || w.last.stamp.IsZero() || w.last.floor.IsZero():
		return nil
	case len(w.row) > 0 && w.row[0].host != w.last.host:
		w.row = nil
	}
	w.row = append(w.row[max(0, len(w.row)+1-inRow):], w.last)
	return w.row
}

// unseenHolders notes that an unseen process may have held a lease: its count of transitions
// shows it, or the lease was recreated in an unwatched span.
func (j *Judge) unseenHolders(at time.Time, before write, old, now record.Lease) bool {
	from := before.floor
	if old.UID == "" && old.Name != "" { // it was created unseen
		from = j.lostSince(record.Leases, at)
	}
	known := 0 // acquisitions; clearing a lease or writing another name does not count
	if old.Holder != now.Holder && now.Holder != "" && lease.ByManager(now.Manager) != lease.Foreign {
		known = 1
	}
	more := now.Transitions - old.Transitions // negative if the writer did not count
	if old.UID == now.UID && more >= 0 && more <= known {
		return false
	}
	j.hides(unseen{lease: now.Name, from: from, until: at, why: "it was written in between"})
	return true
}

// hides adds a span, or extends the last one if both touch.
func (j *Judge) hides(u unseen) {
	if n := len(j.unseen) - 1; n >= 0 && j.unseen[n].lease == u.lease && !u.from.After(j.unseen[n].until) {
		j.unseen[n].from, j.unseen[n].until = sooner(j.unseen[n].from, u.from), u.until
		return
	}
	j.unseen = append(j.unseen, u)
}

// end notes that another holder was received. If versions may have been missed before, the last
// write may be as late as that.
func (t *tenure) end(at time.Time, missed bool) {
	t.over, t.wrote = at, t.last.received
	if missed {
		t.wrote = at
	}
}

// waitedFor notes that another process took this tenure's lease: it had seen no write for the
// lease's duration, unless reads show that it did not wait.
func (t *tenure) waitedFor(taken time.Time, seconds int) {
	if wrote := taken.Add(-time.Duration(seconds) * time.Second); !wrote.Before(t.last.floor) {
		t.wrote = earlier(t.wrote, wrote)
	}
}

// unseen is a span in which an unseen process may have held a lease.
type unseen struct {
	lease       string
	from, until time.Time // a zero from lies before everything
	why         string    // the cause, for people
}

// checked consumes the versions of the leases at the time of a read.
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
				continue // it may have been created and deleted in the gap
			}
			w.quiet = later(w.quiet, v.Sent)
		case w.previous: // the newer version arrived during the read
			if w.previous == "" || !w.last.floor.Before(v.Sent) {
				continue
			}
			w.last.floor = v.Sent
			j.raise(name, w)
		default:
			w.ahead = v
		}
	}
}

// raise applies a floor that was learned late to its tenure.
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

// process returns the process of an identity, and creates it at first.
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
		default: // only a main lease shows its program
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

// sooner returns the earlier of two times, where zero lies before everything.
func sooner(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// earlier returns the earlier of two times, where zero is unknown.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
