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
	runs      []*run
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
	known := j.pods[p.UID]
	if known == nil {
		known = &pod{seen: at, beginning: !j.begun[record.Pods]}
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
	for _, c := range p.Containers {
		if c.ID != "" {
			known.container(at, c)
		}
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
	why  string       // why run is nil
}

// linkOf finds the container of a process: by its host, and by what ran there when it
// acquired its lease. earliest is when that was, acquired the same by its own clock,
// alive when it certainly ran still.
func (j *Judge) linkOf(p *process, earliest, acquired, alive time.Time) link {
	var found link
	var fits []*run
	sure := true
	for _, uid := range j.podOrder {
		one := j.pods[uid]
		if one.now.Program != p.program || !j.onHost(one.now, p.host()) {
			continue
		}
		within := one.within(earliest, acquired, alive)
		if len(within) == 0 || j.superseded(one, earliest) || p.cannotBeOf(one) {
			continue
		}
		found.pods = append(found.pods, one.now)
		fits = append(fits, within...)
		sure = sure && j.settled(p, one, earliest, acquired)
	}
	switch {
	case len(fits) == 0:
		found.why = "no container of " + orProgram(p.program) + " was seen on its host"
	case len(fits) > 1:
		found.why = "more than one container on its host may be its own"
	case !sure:
		found.why = "an older process may have stood unseen behind the pod on its host"
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
// and the acquisition are of one clock, that of the host.
func (p *pod) within(earliest, acquired, alive time.Time) []*run {
	var fits []*run
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

// superseded says whether a later pod on the same Node had been there for so long that
// nothing of this one can run any more.
func (j *Judge) superseded(p *pod, at time.Time) bool {
	next := j.nextOn(p)
	return next != nil && !next.seen.Add(settle).After(at)
}

// settled says whether a process that acquired its lease then cannot be one of an earlier
// pod, which stands unseen behind this one.
func (j *Judge) settled(who *process, p *pod, earliest, acquired time.Time) bool {
	if p.alone(earliest, acquired) {
		return true
	}
	return !p.beginning && !j.lostAt(record.Pods, p.seen) && j.noneBefore(who, p, earliest, acquired)
}

// alone says whether a pod had been there for so long that nothing stood behind it any more.
func (p *pod) alone(earliest, acquired time.Time) bool {
	return earliest.After(p.seen.Add(settle)) || !p.now.Started.IsZero() && acquired.After(p.now.Started.Add(settle))
}

// noneBefore says whether a process is of none of the earlier pods of the same program on
// the same Node: every container of theirs was reported to have ended, or the process
// cannot have been in it, nor in what stood behind it.
func (j *Judge) noneBefore(who *process, p *pod, earliest, acquired time.Time) bool {
	for _, uid := range j.podOrder {
		o := j.pods[uid]
		if o == p || o.now.Program != p.now.Program || o.now.Node != p.now.Node || o.seen.After(p.seen) {
			continue
		}
		if who.cannotBeOf(o) && o.alone(earliest, acquired) {
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

// nextOn is the pod of the same program that came to the same Node next.
func (j *Judge) nextOn(p *pod) *pod {
	for _, uid := range j.podOrder {
		o := j.pods[uid]
		if o != p && o.now.Program == p.now.Program && o.now.Node == p.now.Node && o.seen.After(p.seen) {
			return o
		}
	}
	return nil
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
