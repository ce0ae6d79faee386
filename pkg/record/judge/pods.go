package judge

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// pod is a pod of a controller manager as it was last reported.
type pod struct {
	now       record.Pod
	seen      time.Time // first received
	beginning bool      // it was there when the watch began: what was before it, nobody saw
	gone      int       // how many entries of pods had come when its object was gone; 0: it is there
	entry     int       // how many had come with its own first
	runs      []*run
	shown     time.Time // when a start of it was first received
	renewals  int       // of its kubelet, written after that
	alone     time.Time // by then nothing of an earlier pod can run behind it; zero: nothing shows that
}

// run is one container: a process, if its program is not a shell that starts it anew.
type run struct {
	pod      *pod
	id       string
	seen     time.Time // first received
	started  time.Time // kubelet's clock, whole seconds
	reported time.Time // when its end was received; zero: it was not
	finished time.Time // kubelet's clock, whole seconds
	exit     int32
	restarts int32
}

// pod takes in a report of a kubelet, or what became of the object.
func (j *Judge) pod(at time.Time, p record.Pod) {
	j.podEntries++
	known := j.pods[p.UID]
	if known == nil {
		known = &pod{seen: at, entry: j.podEntries, beginning: !j.begun[record.Pods]}
		j.pods[p.UID] = known
		j.podOrder = append(j.podOrder, p.UID)
	}
	if p.Node == "" {
		p.Node = known.now.Node
	}
	if len(p.Flags) == 0 {
		p.Flags, p.Image, p.Frozen, p.MigrationFile = known.now.Flags, known.now.Image, known.now.Frozen, known.now.MigrationFile
	}
	known.now = p
	if p.Gone && known.gone == 0 {
		known.gone = j.podEntries
	}
	for _, c := range p.Containers {
		if c.ID != "" {
			known.container(at, c)
		}
	}
	if known.shown.IsZero() && !known.firstStart().IsZero() {
		known.shown = at
	}
}

func (p *pod) container(at time.Time, c record.Container) {
	var r *run
	for _, one := range p.runs {
		if one.id == c.ID {
			r = one
		}
	}
	if r == nil {
		r = &run{pod: p, id: c.ID, seen: at, restarts: c.Restarts}
		p.runs = append(p.runs, r)
	}
	if !c.Started.IsZero() {
		r.started = c.Started
	}
	if c.Ended() && r.reported.IsZero() {
		r.reported, r.finished, r.exit = at, c.Finished, c.Exit
	}
}

// link is which container an identity's process may be in.
type link struct {
	pods []record.Pod // as their flags may be
	run  *run         // the only one that it can be; nil: there may be another
	// hidden: it may as well be of a pod that nobody saw: one that its kubelet has not shown,
	// or that was gone before the pods were watched.
	hidden bool
	why    string // why run is nil
}

// linkOf finds the container of a process: by its host, and by what ran there when it
// acquired its lease. acquired is that moment by its own clock, alive when it certainly ran
// still.
func (j *Judge) linkOf(p *process, acquisition Bound, acquired, alive time.Time) link {
	var found link
	var fits []*run
	sure, earliest := true, acquisition.Earliest
	for _, uid := range j.podOrder {
		one := j.pods[uid]
		if one.now.Program != p.program || !j.onHost(one.now, p.host()) {
			continue
		}
		found.hidden = found.hidden || one.now.Mirror && !j.allShown(one.now.Node, acquisition.Latest)
		within := one.within(earliest, acquired, alive)
		if len(within) == 0 || j.superseded(one, later(earliest, alive)) || p.cannotBeOf(one) {
			continue
		}
		found.pods = append(found.pods, one.now)
		fits = append(fits, within...)
		if !j.settled(p, one, earliest, later(earliest, alive)) {
			sure, found.hidden = false, found.hidden || j.unseenBefore(one, later(earliest, alive))
		}
	}
	switch {
	case len(fits) == 0:
		found.why = "no container of " + orProgram(p.program) + " was seen on its host"
	case len(fits) > 1:
		found.why = "more than one container on its host may be its own"
	case !sure:
		found.why = "an older process may have stood unseen behind the pod on its host"
	case found.hidden:
		found.why = "its kubelet may not have shown a newer pod on its host"
	default:
		found.run = fits[0]
	}
	return found
}

func orProgram(program string) string {
	if program == "" {
		return "a controller manager"
	}
	return program
}

// cannotBeOf says whether a process is none of a pod's: it held the migration lease, which
// nobody takes without the flag.
func (p *process) cannotBeOf(one *pod) bool { return p.flagged() && unflagged(one.now) }

// unflagged says whether a pod's program cannot take the migration lease.
func unflagged(p record.Pod) bool {
	on, err := component.Parse(p.Flags).Bool(component.EnableLeaderMigration, false)
	return p.Frozen == "" && err == nil && !on
}

// within are the containers of a pod that may hold a process which acquired its lease
// then: not those that had ended, and not those that started later. A container's times
// and the acquisition are of one clock, that of the host. One that nobody saw may hold it, too.
func (p *pod) within(earliest, acquired, alive time.Time) []*run {
	var fits []*run
	if p.before(acquired, alive) {
		fits = append(fits, &run{pod: p})
	}
	for i, r := range p.runs {
		ended := !r.reported.IsZero() && (r.reported.Before(earliest) || r.reported.Before(alive) ||
			!acquired.IsZero() && !r.finished.Add(second).After(acquired))
		after := !acquired.IsZero() && r.started.After(acquired)
		if ended || after {
			continue
		}
		fits = append(fits, r)
		if i+1 < len(p.runs) && p.runs[i+1].restarts != r.restarts+1 {
			fits = append(fits, &run{pod: p}) // one that nobody saw
		}
	}
	return fits
}

// before says whether a container that ended before the first one that was seen may hold a
// process: its kubelet told nobody meanwhile.
func (p *pod) before(acquired, alive time.Time) bool {
	if !acquired.IsZero() && p.now.Started.After(acquired) {
		return false
	}
	if len(p.runs) == 0 {
		return !p.now.Started.IsZero()
	}
	first := p.runs[0]
	return first.restarts > 0 && (acquired.IsZero() || first.started.After(acquired)) && alive.Before(first.seen)
}

// superseded says whether nothing of a pod can run at a moment: its object was gone before
// another came to its Node, and nothing stood behind that one any more.
func (j *Judge) superseded(p *pod, at time.Time) bool {
	for _, uid := range j.podOrder {
		o := j.pods[uid]
		if o.now.Program == p.now.Program && o.now.Node == p.now.Node && o.replaced(p) && o.aloneAt(at) {
			return true
		}
	}
	return false
}

// replaced says whether a pod took another's place. Of a static pod there is one object at a
// time. Of others the kubelet that starts one has seen all that was gone before it came.
func (p *pod) replaced(other *pod) bool {
	if p == other || p.entry < other.entry {
		return false
	}
	if p.now.Mirror && other.now.Mirror && p.now.Namespace == other.now.Namespace && p.now.Name == other.now.Name {
		return true
	}
	return other.gone > 0 && other.gone < p.entry
}

// settled says whether a process cannot be one of an earlier pod, which stands unseen behind
// this one: it ran when none of these could, or it is of none of them. earliest is when it
// acquired its lease at the earliest, alive when it certainly ran.
func (j *Judge) settled(who *process, p *pod, earliest, alive time.Time) bool {
	if p.aloneAt(alive) {
		return true
	}
	return !j.unseenBefore(p, alive) && j.noneBefore(who, p, earliest, alive)
}

// unseenBefore says whether the process of a pod that nobody saw may run at a moment, behind
// a pod or behind one before it: it was gone before these pods were watched. Where no pod
// was seen before, the Node was watched for a while without one.
func (j *Judge) unseenBefore(p *pod, at time.Time) bool {
	first, unseen := p, false
	for _, uid := range j.podOrder {
		o := j.pods[uid]
		if o.now.Program != p.now.Program || o.now.Node != p.now.Node || o.entry > p.entry {
			continue
		}
		if o.entry < first.entry {
			first = o
		}
		// Behind one that is alone there is nothing, of whatever came before it.
		unseen = !o.aloneAt(at) && (unseen || o.beginning || j.lostAt(record.Pods, o.seen))
	}
	return unseen || first == p && !p.aloneAt(at) && p.seen.Sub(j.podsFrom) < settle
}

// aloneAt says whether nothing stood behind a pod at a moment any more.
func (p *pod) aloneAt(at time.Time) bool { return !p.alone.IsZero() && !at.Before(p.alone) }

// noneBefore says whether a process is of none of the earlier pods of the same program on
// the same Node: every container of theirs was reported to have ended, or the process
// cannot have been in it, nor in what stood behind it.
func (j *Judge) noneBefore(who *process, p *pod, earliest, alive time.Time) bool {
	for _, uid := range j.podOrder {
		o := j.pods[uid]
		if o == p || o.now.Program != p.now.Program || o.now.Node != p.now.Node || o.entry > p.entry {
			continue
		}
		if who.cannotBeOf(o) && o.aloneAt(alive) {
			continue
		}
		if !o.ended(earliest) {
			return false
		}
	}
	return true
}

// ended says whether every container of a pod was reported to have ended by then.
func (p *pod) ended(at time.Time) bool {
	for _, r := range p.runs {
		if r.reported.IsZero() || r.reported.After(at) {
			return false
		}
	}
	return len(p.runs) > 0
}

// onHost says whether a pod is where an identity's host name is.
func (j *Judge) onHost(p record.Pod, host string) bool {
	if host == "" {
		return false
	}
	if !p.HostNetwork && host == p.Name {
		return true
	}
	return p.Node != "" && j.hosts.node(host) == p.Node
}
