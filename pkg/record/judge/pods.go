package judge

import (
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// pod is a pod of a controller manager as it was last reported.
type pod struct {
	now       record.Pod
	seen      time.Time // first received
	beginning bool      // it was there when the watch began, or began again: what was before it is not known
	gone      time.Time // when its object was gone; zero: it is there
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
	restarts int32
}

// pod takes in a report of a kubelet, or what became of the object.
func (j *Judge) pod(at time.Time, p record.Pod) {
	known := j.pods[p.UID]
	if known == nil {
		known = &pod{seen: at, beginning: !j.begun[record.Pods] || at.Sub(j.podsFrom) < settle || j.lostSince(record.Pods, at).Before(at)}
		j.pods[p.UID] = known
		j.podOrder = append(j.podOrder, p.UID)
	}
	before := known.now.Node
	if p.Node == "" {
		p.Node = before
	}
	if p.Node != before || before == "" && known.now.UID == "" {
		key := [2]string{p.Program, p.Node}
		j.onNode[key] = append(j.onNode[key], p.UID)
	}
	if len(p.Flags) == 0 {
		p.Flags, p.Image, p.Frozen, p.MigrationFile = known.now.Flags, known.now.Image, known.now.Frozen, known.now.MigrationFile
	}
	known.now = p
	if p.Gone && known.gone.IsZero() {
		known.gone = at
	}
	j.longest = j.longest.longest(timingOf(p))
	for _, c := range p.Containers {
		if c.ID != "" {
			known.container(at, c)
		}
	}
}

func (p *pod) container(at time.Time, c record.Container) {
	n := slices.IndexFunc(p.runs, func(r *run) bool { return r.id == c.ID })
	if n < 0 {
		n = len(p.runs)
		p.runs = append(p.runs, &run{pod: p, id: c.ID, seen: at, restarts: c.Restarts})
	}
	r := p.runs[n]
	if !c.Started.IsZero() {
		r.started = c.Started
	}
	if c.Ended() && r.reported.IsZero() {
		r.reported, r.finished = at, c.Finished
	}
}

// link is in which container a process may run.
type link struct {
	pods []record.Pod // whose arguments it may have
	run  *run         // the only container that it can be in, or nil
	open bool         // it may be in a container that no kubelet has shown
	why  string       // why run is nil
}

// life is what the leases say of a process's time.
type life struct {
	acquired Bound
	stamp    time.Time // of its acquisition, by its host's clock; zero: not known
	wrote    time.Time // of its last write, by the same clock
	alive    time.Time // when it certainly ran
}

// linkOf finds the container of a process: by its host, and by what ran there when it acquired
// its lease and when it last wrote one.
//
// A kubelet may show a static pod late, and start one while the process of the one before still
// runs. Neither lasts longer than settle while the API server can be reached, and a process
// that writes leases shows that it can.
func (j *Judge) linkOf(p *process, l life) link {
	var found link
	var fits []*run
	for _, one := range j.podsOf(p) {
		within := one.within(l)
		if len(within) == 0 || p.flagged() && unflagged(one.now) || j.superseded(one, l) {
			continue
		}
		found.pods, fits = append(found.pods, one.now), append(fits, within...)
		found.open = found.open || one.beginning && !l.settledSince(one.firstStart()) || one.now.Mirror && !l.settledSince(l.stamp)
	}
	switch {
	case len(fits) == 0:
		found.why = "no container of it was seen on its host"
	case len(fits) > 1:
		found.why = "more than one container on its host may be its own"
	case found.open:
		found.why = "its kubelet may not have shown its container yet"
	default:
		found.run = fits[0]
	}
	return found
}

// podsOf are the pods of a process's program on its host, as they came.
func (j *Judge) podsOf(p *process) []*pod {
	host := p.host()
	if host == "" {
		return nil
	}
	var all []*pod
	for _, uid := range j.onNode[[2]string{p.program, j.hosts.of(host)}] {
		if one := j.pods[uid]; one.now.Node != "" {
			all = append(all, one)
		}
	}
	if len(all) > 0 {
		return all
	}
	for _, uid := range j.podOrder { // in a network of its own a pod's host has the name of the pod
		if one := j.pods[uid]; one.now.Name == host && one.now.Program == p.program && !one.now.HostNetwork {
			all = append(all, one)
		}
	}
	return all
}

// settledSince reports whether a process last wrote a lease so long after a moment of its host's
// clock that the kubelet has shown what ran there then, and has ended what came before.
func (l life) settledSince(start time.Time) bool {
	return !start.IsZero() && l.wrote.Sub(start) >= settle
}

// firstStart is when the first container of a pod that was shown began, by its kubelet's clock.
func (p *pod) firstStart() time.Time {
	if len(p.runs) == 0 {
		return time.Time{}
	}
	return p.runs[0].started
}

// superseded reports whether nothing of a pod ran when a process last wrote: another pod had
// taken its place for long enough.
func (j *Judge) superseded(p *pod, l life) bool {
	return slices.ContainsFunc(j.onNode[[2]string{p.now.Program, p.now.Node}], func(uid string) bool {
		o := j.pods[uid]
		replaced := !p.gone.IsZero() && !p.gone.After(o.seen) || p.now.Mirror && o.now.Mirror && p.now.Namespace == o.now.Namespace && p.now.Name == o.now.Name
		return o != p && !o.seen.Before(p.seen) && replaced && l.settledSince(o.firstStart())
	})
}

// unflagged reports whether a pod's program cannot take the migration lease.
func unflagged(p record.Pod) bool {
	on, err := component.Parse(p.Flags).Bool(component.EnableLeaderMigration, false)
	return p.Frozen == "" && err == nil && !on
}

// within returns the containers of a pod that may hold a process: those that had not ended when
// it acquired its lease or wrote, and did not start later. The times of a container and the
// stamps of a lease are of one clock, that of the host. A container that no kubelet has shown
// may hold it, too.
func (p *pod) within(l life) []*run {
	var fits []*run
	if p.before(l) {
		fits = append(fits, &run{pod: p})
	}
	for i, r := range p.runs {
		ended := !r.reported.IsZero() && (r.reported.Before(later(l.acquired.Earliest, l.alive)) || !l.stamp.IsZero() && !r.finished.Add(second).After(l.stamp))
		if ended || !l.stamp.IsZero() && r.started.After(l.stamp) {
			continue
		}
		fits = append(fits, r)
		if i+1 < len(p.runs) && p.runs[i+1].restarts != r.restarts+1 {
			fits = append(fits, &run{pod: p})
		}
	}
	return fits
}

// before reports whether a container before the first one that was shown may hold a process.
func (p *pod) before(l life) bool {
	if !l.stamp.IsZero() && p.now.Started.After(l.stamp) {
		return false
	}
	if len(p.runs) == 0 {
		return !p.now.Started.IsZero()
	}
	first := p.runs[0]
	return first.restarts > 0 && (l.stamp.IsZero() || first.started.After(l.stamp)) && l.alive.Before(first.seen)
}
