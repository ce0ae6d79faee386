package judge

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Result is what the entries so far come to.
func (j *Judge) Result() Result {
	r := Result{Header: j.header, From: j.from, Until: j.until, Ended: j.ended, World: j.world.result(j), Runs: slices.Clone(j.runs)}
	for _, controller := range Controllers() {
		l := Lane{Controller: controller, Intervals: j.intervals(controller, j.timing())}
		l.Overlaps = overlaps(l.Intervals)
		l.Gaps = gaps(l.Intervals, j.hidden(), j.followedUntil(), r.Until)
		r.Lanes = append(r.Lanes, l)
	}
	r.Unwatched, r.Unseen = j.unwatchedUntil(r.Until), j.unseenStretches()
	r.Notes = j.notes()
	return r
}

func (j *Judge) intervals(controller string, seen timing) []Interval {
	var all []Interval
	for _, identity := range j.order {
		if one, ok := j.interval(j.processes[identity], controller, seen); ok {
			all = append(all, one)
		}
	}
	slices.SortStableFunc(all, func(a, b Interval) int {
		return cmp.Or(a.Start.Earliest.Compare(b.Start.Earliest), a.Start.Latest.Compare(b.Start.Latest))
	})
	return all
}

// interval is what one process did for one controller; ok is false where it cannot have
// run it.
func (j *Judge) interval(p *process, controller string, seen timing) (Interval, bool) {
	main, migration := p.mainLock(), p.locks[wellknown.MigrationLease]
	begin := main
	if begin == nil {
		begin = migration
	}
	if begin == nil {
		return Interval{}, false
	}
	name := wellknown.MigrationLease
	if main != nil {
		name = orDefault(p.program)
	}
	l := j.linkOf(p, j.acquisition(p, name, begin), begin.acquired, j.alive(p))
	r := l.role(p, controller)
	mainRuns, migrationRuns := r.main && main != nil, r.migration && migration != nil
	if !mainRuns && !migrationRuns {
		return Interval{}, false
	}
	i := Interval{Process: p.shown(l), End: j.ends(p, l), ByRule: j.byRule(p, l.timing(seen)), Why: l.why}
	i.Certain = !r.never
	switch {
	case mainRuns && migrationRuns:
		from, to := j.acquisition(p, name, main), j.acquisition(p, wellknown.MigrationLease, migration)
		i.Start = Bound{Earliest: from.Earliest, Latest: later(to.Latest.Add(startWithin), p.runsBy(from, main)), Source: to.Source}
	case mainRuns:
		i.Start = j.acquisition(p, name, main)
		i.Start.Latest = p.runsBy(i.Start, main)
		i.Certain = i.Certain && !r.migration
	default:
		i.Start = j.acquisition(p, wellknown.MigrationLease, migration)
		i.Start.Latest = i.Start.Latest.Add(startWithin)
		i.Certain = i.Certain && (!r.main || main != nil)
	}
	if i.Start.Earliest.Before(j.from) {
		i.Start.Earliest = time.Time{}
	}
	i.Running = i.End.Latest.IsZero() && i.ByRule.IsZero()
	if !i.Certain && i.Why == "" {
		i.Why = "its arguments do not tell whether it runs this controller"
	}
	if i.Certain && !i.End.Latest.IsZero() {
		i.Why = ""
	}
	return i, true
}

// orDefault is the main lease of a program.
func orDefault(program string) string {
	if program == wellknown.CCM {
		return wellknown.CCMLease
	}
	return wellknown.KCMLease
}

func (p *process) shown(l link) Process {
	out := Process{Identity: p.identity, Program: p.program, Host: p.host()}
	if l.run != nil {
		out.Pod = l.run.pod.now.Namespace + "/" + l.run.pod.now.Name
		out.Container = l.run.id
	}
	return out
}

// certain is when an interval was certainly so; ok is false if never.
func (i Interval) certain() (from, to time.Time, ok bool) {
	return i.Start.Latest, i.End.Earliest, i.Certain && i.End.Earliest.After(i.Start.Latest)
}

// overlaps judges every pair of intervals. Of each process the first that followed it is
// told as excluded, and the first that client-go's rule alone parts from it: whoever was
// frozen may have gone on beside all that came later.
func overlaps(all []Interval) []Overlap {
	var found []Overlap
	for n, first := range all {
		excluded, frozen := false, false
		for _, second := range all[n+1:] {
			o := overlap(first, second)
			if o.Kind == Excluded && excluded || o.OnlyIfFrozen && frozen {
				continue
			}
			excluded, frozen = excluded || o.Kind == Excluded, frozen || o.OnlyIfFrozen
			found = append(found, o)
		}
	}
	return found
}

// overlap judges two intervals of which the second began later.
func overlap(first, second Interval) Overlap {
	o := Overlap{First: first.Process, Second: second.Process}
	if from, to, ok := both(first, second); ok {
		o.Kind, o.From, o.To = Seen, from, to
		o.Why = fmt.Sprintf("%s still wrote a lease while %s led", first.Process.Identity, second.Process.Identity)
		return o
	}
	begins := later(first.Start.Earliest, second.Start.Earliest)
	if !first.End.Latest.IsZero() && !begins.Before(first.End.Latest) {
		o.Kind = Excluded
		o.Why = fmt.Sprintf("the kubelet reported that the container of %s had ended before %s acquired its lease", first.Process.Identity, second.Process.Identity)
		return o
	}
	o.Kind, o.From, o.To, o.ByRule = Possible, begins, earlier(first.End.Latest, second.End.Latest), first.ByRule
	if !first.ByRule.IsZero() && !begins.Before(first.ByRule) {
		o.OnlyIfFrozen, o.To = true, first.End.Latest
		o.Why = fmt.Sprintf("nothing shows that %s had ended: %s; by its renew deadline it had, unless it was frozen", first.Process.Identity, orElse(first.Why, "its kubelet reported it later"))
		return o
	}
	o.Why = fmt.Sprintf("%s may have gone on: %s", first.Process.Identity, orElse(first.Why, "its kubelet reported its end no earlier"))
	return o
}

// both is when two intervals were certainly so at once.
func both(a, b Interval) (from, to time.Time, ok bool) {
	fromA, toA, okA := a.certain()
	fromB, toB, okB := b.certain()
	from, to = later(fromA, fromB), earlier(toA, toB)
	return from, to, okA && okB && to.After(from)
}

func orElse(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// span is a stretch on a line of time; a zero from is before everything.
type span struct{ from, to time.Time }

// hidden are the stretches in which somebody may have run a controller unseen: who lost its
// lease goes on for as long as client-go's rule lets it.
func (j *Judge) hidden() []span {
	var all []span
	for _, u := range append(j.behind(), j.unseen...) {
		all = append(all, span{u.from, u.until.Add(j.timing().gone())})
	}
	return all
}

// gaps are the stretches outside of what is certain, behind the first certainty. Who runs
// when the record ends is certain for as long as the leases were followed.
func gaps(all []Interval, possible []span, followed, until time.Time) []Gap {
	type sure struct {
		span
		who Process
	}
	var certain []sure
	for _, i := range all {
		if from, to, ok := i.certain(); ok {
			if i.Running {
				to = later(to, followed)
			}
			certain = append(certain, sure{span{from, to}, i.Process})
		}
		possible = append(possible, span{i.Start.Earliest, i.expected(until)})
	}
	slices.SortFunc(certain, func(a, b sure) int { return a.from.Compare(b.from) })
	var found []Gap
	for n := 0; n < len(certain); {
		end, last := certain[n].to, certain[n].who
		for n++; n < len(certain) && !certain[n].from.After(end); n++ {
			if certain[n].to.After(end) {
				end, last = certain[n].to, certain[n].who
			}
		}
		g := Gap{From: end, To: until, Before: &last}
		if n < len(certain) {
			g.To, g.After = certain[n].from, &certain[n].who
		}
		g.Greatest = g.To.Sub(g.From)
		g.Least = uncovered(span{g.From, g.To}, possible)
		if g.Greatest > 0 {
			found = append(found, g)
		}
	}
	return found
}

// expected is until when a process possibly ran, taking client-go's rule for granted.
func (i Interval) expected(until time.Time) time.Time {
	end := earlier(i.End.Latest, i.ByRule)
	if end.IsZero() {
		return until
	}
	return later(end, i.End.Earliest)
}

// uncovered is how much of a stretch none of the others covers.
func uncovered(of span, others []span) time.Duration {
	slices.SortFunc(others, func(a, b span) int { return cmp.Or(a.from.Compare(b.from), a.to.Compare(b.to)) })
	var free time.Duration
	at := of.from
	for _, o := range others {
		if o.from.After(at) && at.Before(of.to) {
			free += earlier(o.from, of.to).Sub(at)
		}
		at = later(at, o.to)
	}
	if at.Before(of.to) {
		free += of.to.Sub(at)
	}
	return free
}

// unwatchedUntil are the stretches that were not watched; one that lasts ends with the
// record, and nobody knows what it missed.
func (j *Judge) unwatchedUntil(until time.Time) []record.Unwatched {
	var all []record.Unwatched
	for _, m := range j.missed {
		if m.Until.IsZero() {
			m.Until, m.Lost = until, true
		}
		all = append(all, m)
	}
	for _, stream := range []record.Stream{record.Leases, record.Pods} {
		if !j.begun[stream] {
			all = append(all, record.Unwatched{Stream: stream, From: j.from, Until: until, Lost: true, Why: "it was never watched"})
		}
	}
	return all
}

func (j *Judge) unseenStretches() []Stretch {
	var all []Stretch
	for _, u := range append(slices.Clone(j.unseen), j.behind()...) {
		all = append(all, Stretch{From: u.from, To: u.until, Why: "somebody else may have held lease " + u.lease + ": " + u.why})
	}
	return all
}

// notes are what limits the judgement beside what was not watched.
func (j *Judge) notes() []string {
	var notes []string
	for _, uid := range j.podOrder {
		p := j.pods[uid].now
		if !elects(p) {
			notes = append(notes, fmt.Sprintf("pod %s/%s elects no leader by the leases that are recorded: whether it runs cloud controllers is not known", p.Namespace, p.Name))
		}
		if p.Frozen != "" {
			notes = append(notes, fmt.Sprintf("pod %s/%s: %s", p.Namespace, p.Name, p.Frozen))
		}
	}
	for _, identity := range j.order {
		p := j.processes[identity]
		if p.program == "" {
			notes = append(notes, fmt.Sprintf("lease %s was held by %s, which is no controller manager as far as is seen: whether it runs cloud controllers is not known", wellknown.MigrationLease, identity))
		}
	}
	if len(j.podOrder) == 0 || !j.sawKCM() {
		notes = append(notes, "no pod of kube-controller-manager was seen (RKE runs it outside the API): what its arguments are and when it ended is not known")
	}
	slices.Sort(notes)
	return slices.Compact(notes)
}

func (j *Judge) sawKCM() bool {
	for _, p := range j.pods {
		if p.now.Program == wellknown.KCM {
			return true
		}
	}
	return false
}
