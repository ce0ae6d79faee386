package judge

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// bucket is the time for which a clock's bounds are kept as one.
const bucket = 30 * time.Second

// clocks holds by how much the clocks of other hosts are ahead of the recorder's. A clock is
// assumed to run evenly: a step of the clock between two writes goes unnoticed.
type clocks map[string]map[int64]offset

// offset limits by how much a clock is ahead of the recorder's.
type offset struct {
	least, most       time.Duration
	hasLeast, hasMost bool
}

// learn uses a host's stamp: it was made before its write was received.
func (c clocks) learn(w write) {
	if w.host != "" && !w.stamp.IsZero() {
		c.add(w, offset{least: w.stamp.Sub(w.received), hasLeast: true})
	}
}

// inRow is the number of successive writes of a lease of which at least one is committed within
// clockSlack of its stamp.
const inRow = 3

// learnRow uses the stamps of the last writes of one lease by one host: each was written no earlier
// than its floor, and one of them was stamped hardly earlier.
func (c clocks) learnRow(row []write) {
	if len(row) < inRow {
		return
	}
	o := offset{most: row[0].stamp.Sub(row[0].floor), hasMost: true}
	for _, w := range row[1:] {
		o.most = max(o.most, w.stamp.Sub(w.floor))
	}
	c.add(row[len(row)-1], o)
}

func (c clocks) add(w write, o offset) {
	if c[w.host] == nil {
		c[w.host] = map[int64]offset{}
	}
	key := w.received.UnixNano() / int64(bucket)
	c[w.host][key] = c[w.host][key].and(o)
}

// and returns the intersection of two offsets.
func (o offset) and(other offset) offset {
	if other.hasLeast && (!o.hasLeast || other.least > o.least) {
		o.least, o.hasLeast = other.least, true
	}
	if other.hasMost && (!o.hasMost || other.most < o.most) {
		o.most, o.hasMost = other.most, true
	}
	return o
}

// local returns the recorder's earliest and latest time of a host's stamp that was received
// then. ok is false if either side of the clock is not known, or if they contradict each other.
func (c clocks) local(host string, stamp, received time.Time) (earliest, latest time.Time, ok bool) {
	var o offset
	key, reach := received.UnixNano()/int64(bucket), int64(near/bucket)
	for k := key - reach; k <= key+reach; k++ {
		o = o.and(c[host][k])
	}
	earliest, latest = stamp.Add(-o.most-clockSlack), stamp.Add(-o.least+clockSlack)
	if stamp.IsZero() || !o.hasLeast || !o.hasMost || earliest.After(latest) || received.Sub(earliest) > near || earliest.After(received) {
		return time.Time{}, time.Time{}, false
	}
	return earliest, latest, true
}

// modeSpan is a time in which every kube-controller-manager ran in one mode, as a run recorded.
type modeSpan struct {
	span
	mode record.Mode
}

// learnMode records the mode of every kube-controller-manager that a run found.
func (j *Judge) learnMode(at time.Time, mode record.Mode) {
	if mode == "" {
		return
	}
	if n := len(j.modes); n > 0 && j.modes[n-1].to.IsZero() {
		j.modes[n-1].to = at
	}
	if mode != record.Changing {
		j.modes = append(j.modes, modeSpan{span{from: at}, mode})
	}
}

// modeOf returns the mode of a process that certainly ran from one moment to another, or "".
// Its arguments never change.
func (j *Judge) modeOf(from, to time.Time) record.Mode {
	for _, m := range j.modes {
		if end := earlier(m.to, to); !to.Before(from) && !later(m.from, from).After(end) {
			return m.mode
		}
	}
	return ""
}
