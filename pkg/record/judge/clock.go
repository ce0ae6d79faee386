package judge

import "time"

// bucket is a stretch of time for which what is known of a clock is kept as one.
const bucket = 30 * time.Second

// clocks is what is known of the clocks of other machines, by host.
type clocks map[string]map[int64]offset

// offset is by how much a clock is ahead of the recorder's, at least and at most.
type offset struct {
	least, most       time.Duration
	hasLeast, hasMost bool
}

// notAfter learns that the host's clock showed stamp not after a moment: nothing is
// received before it was written.
func (c clocks) notAfter(host string, stamp, moment time.Time) {
	if host == "" || stamp.IsZero() {
		return
	}
	c.learn(host, moment, func(o offset) offset {
		if d := stamp.Sub(moment); !o.hasLeast || d > o.least {
			o.least, o.hasLeast = d, true
		}
		return o
	})
}

// notBefore learns that the host's clock showed stamp not before a moment: the API
// server did not have it yet.
func (c clocks) notBefore(host string, stamp, moment, received time.Time) {
	if host == "" || stamp.IsZero() || moment.IsZero() {
		return
	}
	c.learn(host, received, func(o offset) offset {
		if d := stamp.Sub(moment); !o.hasMost || d < o.most {
			o.most, o.hasMost = d, true
		}
		return o
	})
}

func (c clocks) learn(host string, at time.Time, change func(offset) offset) {
	if c[host] == nil {
		c[host] = map[int64]offset{}
	}
	key := at.UnixNano() / int64(bucket)
	c[host][key] = change(c[host][key])
}

// around is what is known of a host's clock around a moment, as far as it is.
func (c clocks) around(host string, at time.Time) (o offset) {
	key, reach := at.UnixNano()/int64(bucket), int64(near/bucket)
	for k := key - reach; k <= key+reach; k++ {
		b, known := c[host][k]
		if known && b.hasLeast && (!o.hasLeast || b.least > o.least) {
			o.least, o.hasLeast = b.least, true
		}
		if known && b.hasMost && (!o.hasMost || b.most < o.most) {
			o.most, o.hasMost = b.most, true
		}
	}
	o.least, o.most = o.least-slack, o.most+slack
	return o
}

// and is what two things say of one clock.
func (o offset) and(other offset) offset {
	if other.hasLeast && (!o.hasLeast || other.least > o.least) {
		o.least, o.hasLeast = other.least, true
	}
	if other.hasMost && (!o.hasMost || other.most < o.most) {
		o.most, o.hasMost = other.most, true
	}
	return o
}

// set says whether what is known of a clock contradicts itself: it was set meanwhile.
func (o offset) set() bool { return o.hasLeast && o.hasMost && o.least > o.most }

// local is when the recorder's clock showed what a host's clock shows in stamp, at the
// earliest and at the latest. received is when it was received, and close to it. ok is false
// where either side of the clock is not known, where it was set, and where it shows that
// something was written after it was received.
func (c clocks) local(host string, stamp, received time.Time) (earliest, latest time.Time, ok bool) {
	o := c.around(host, received)
	earliest, latest = stamp.Add(-o.most), stamp.Add(-o.least)
	if !o.hasLeast || !o.hasMost || o.set() || received.Sub(earliest) > near || earliest.After(received) {
		return time.Time{}, time.Time{}, false
	}
	return earliest, latest, true
}

// local is the same by the clock of a process's host, which its kubelet has as well: where
// what that one writes says something else, the clock was set.
func (j *Judge) local(host string, stamp, received time.Time) (earliest, latest time.Time, ok bool) {
	if j.wasSet(host, received) {
		return time.Time{}, time.Time{}, false
	}
	return j.clocks.local(host, stamp, received)
}

// wasSet says whether the clock of a host was set around a moment, as far as that shows.
func (j *Judge) wasSet(host string, at time.Time) bool {
	return j.clocks.around(host, at).and(j.renewed.around(j.hosts.node(host), at)).set()
}
