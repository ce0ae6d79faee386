package judge

import (
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// pod is a controller manager's pod as last reported.
type pod struct {
	now       record.Pod
	seen      time.Time // first received
	beginning bool      // it existed when the watch began or resumed: its past is unknown
	gone      time.Time // when its object was deleted, or zero
	runs      []*run
}

// run is a container. It is one process, unless its program is a shell that restarts it.
type run struct {
	pod      *pod
	id       string
	seen     time.Time // first received
	started  time.Time // kubelet's clock, whole seconds
	reported time.Time // when its end was received, or zero
	finished time.Time // kubelet's clock, whole seconds
	restarts int32
}

// pod consumes a kubelet's report, or the deletion of the object.
func (j *Judge) pod(at time.Time, p record.Pod) {
	known := j.pods[p.UID]
	if known == nil {
		known = &pod{seen: at, beginning: !j.begun[record.Pods] || at.Sub(j.podsFrom) < settleTimeout || j.lostSince(record.Pods, at).Before(at)}
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

// link holds the possible containers of a process.
type link struct {
	pods []record.Pod // pods whose arguments it may have
	run  *run         // its only possible container, or nil
	open bool         // it may be in an unreported container
	why  string       // why run is nil
}

// life holds the times of a process that the leases show.
type life struct {
	acquired Bound
	stamp    time.Time // of its acquisition, by its host's clock; zero if unknown
	wrote    time.Time // of its last write, by the same clock
	alive    time.Time // the last time at which it certainly ran
}

// linkOf finds the container of a process: by its host, and by the containers that ran there when
// it acquired its lease and when it last wrote one.
//
// A kubelet may report a static pod late, and start it while the previous process still runs.
// Both take no longer than settleTimeout while the API server is reachable, and a process that
// writes leases proves that it is.
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

// podsOf returns the pods of a process's program on its host, in order of appearance.
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
	for _, uid := range j.podOrder { // in a pod network the host name is the pod's name
		if one := j.pods[uid]; one.now.Name == host && one.now.Program == p.program && !one.now.HostNetwork {
			all = append(all, one)
		}
	}
	return all
}

// settledSince reports whether a process wrote a lease late enough after a time of its host's
// clock: the kubelet had then reported what ran at that time, and stopped its predecessors.
func (l life) settledSince(start time.Time) bool {
	return !start.IsZero() && l.wrote.Sub(start) >= settleTimeout
}

// firstStart returns the start of a pod's first reported container, by its kubelet's clock.
func (p *pod) firstStart() time.Time {
	if len(p.runs) == 0 {
		return time.Time{}
	}
	return p.runs[0].started
}

// superseded reports whether all of a pod's containers had ended when a process last wrote:
// another pod had replaced it for long enough.
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
// stamps of a lease are of the host's clock. A container that no kubelet reported may also hold
// it.
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

// before reports whether a container before the first reported one may hold a process.
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
