package judge

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// Judge consumes entries in the order of the record, and returns a Result at any time. Create one
// with New.
type Judge struct {
	from, until time.Time
	header      record.Header
	opened      time.Time // when its recorder began to watch
	ended       bool

	clocks    clocks // of hosts, from the stamps in leases
	modes     []modeSpan
	leases    map[string]*watched
	asked     time.Time // when the last answered read of leases was sent
	processes map[string]*process
	order     []string // identities, in order of appearance
	pods      map[string]*pod
	podOrder  []string               // UIDs, in order of appearance
	onNode    map[[2]string][]string // UIDs by program and Node
	longest   timing                 // the longest of any program
	hosts     *hosts
	begun     map[record.Stream]bool
	podsFrom  time.Time // when the watch of pods began
	missed    []record.Unwatched
	unseen    []unseen
	world     world
	runs      []Run
}

// New returns a Judge without entries.
func New() *Judge {
	return &Judge{clocks: clocks{}, leases: map[string]*watched{}, processes: map[string]*process{}, pods: map[string]*pod{}, onNode: map[[2]string][]string{},
		longest: defaults(), hosts: newHosts(), begun: map[record.Stream]bool{}, world: newWorld()}
}

// Put consumes the next entry.
func (j *Judge) Put(e record.Entry) error {
	j.from, j.until = earlier(j.from, e.At), later(j.until, e.At)
	switch {
	case e.Header != nil:
		j.header, j.opened = *e.Header, e.At
	case e.Lease != nil:
		j.lease(e.At, *e.Lease)
	case e.Checked != nil:
		j.checked(*e.Checked)
	case e.Pod != nil:
		j.pod(e.At, *e.Pod)
	case e.Node != nil:
		j.node(e.At, *e.Node)
	case e.Machine != nil:
		j.hosts.machine(*e.Machine)
	case e.Service != nil:
		j.world.service(*e.Service)
	case e.Begun != nil:
		j.begun[e.Begun.Stream] = true
		if e.Begun.Stream == record.Pods {
			j.podsFrom = earlier(j.podsFrom, e.At)
		}
	case e.Missed != nil:
		j.unwatched(*e.Missed)
	case e.Run != nil:
		j.run(e.At, *e.Run)
	case e.Step != nil:
		j.step(e.At, *e.Step)
	case e.Approval != nil:
		j.approval(e.At, *e.Approval)
	case e.Former != nil:
		j.former(*e.Former)
	case e.Edit != nil:
		j.edit(*e.Edit)
	case e.Write != nil:
		j.write(e.At, *e.Write)
	case e.Audit != nil:
		j.audit(e.At, *e.Audit)
	case e.End != nil:
		j.ended = true
	}
	return nil
}

func (j *Judge) node(at time.Time, n record.Node) {
	if !n.Gone { // a process may outlive its Node
		j.hosts.node(n)
	}
	j.world.node(at, n)
}

func (j *Judge) unwatched(m record.Unwatched) {
	j.missed = append(j.missed, m)
	if m.Stream == record.Leases && m.Lost {
		for _, w := range j.leases {
			w.missed(m.From, m.Until)
		}
	}
}

// lostSince returns the begin of the gap that ends with the stream's new list at this moment, or
// the moment itself without a gap. Unreadable lines of the record stay unknown: no new list
// follows them.
func (j *Judge) lostSince(stream record.Stream, at time.Time) time.Time {
	since := at
	for _, m := range j.missed {
		if m.Stream == stream && m.Lost && !at.Before(m.From) && (m.Unreadable || at.Before(m.Until.Add(second))) {
			since = earlier(since, m.From)
		}
	}
	return since
}
