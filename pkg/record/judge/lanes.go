package judge

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Result returns the result of the entries so far.
func (j *Judge) Result() Result {
	r := Result{Header: j.header, From: j.from, Until: j.until, Ended: j.ended, World: j.world.result(), Runs: slices.Clone(j.runs)}
	var all []known
	for _, identity := range j.order {
		if k, ok := j.judge(j.processes[identity]); ok {
			all = append(all, k)
		}
	}
	for _, controller := range Controllers() {
		l := Lane{Controller: controller}
		for _, k := range all {
			if i, ok := k.interval(controller, j.from); ok {
				l.Intervals = append(l.Intervals, i)
			}
		}
		slices.SortStableFunc(l.Intervals, func(a, b Interval) int {
			return cmp.Or(a.Start.Earliest.Compare(b.Start.Earliest), a.Start.Latest.Compare(b.Start.Latest))
		})
		l.Overlaps, l.More = overlaps(l.Intervals)
		l.Gaps = gaps(l.Intervals, j.hidden(), j.followedUntil(), r.Until)
		r.Lanes = append(r.Lanes, l)
	}
	r.Unwatched, r.Unseen = j.unwatchedUntil(r.Until), j.unseenStretches()
	r.Notes = j.notes()
	return r
}

// interval returns when a process ran a controller; ok is false if it cannot have run it.
func (k known) interval(controller string, from time.Time) (Interval, bool) {
	main, migration := k.mainLock(), k.locks[wellknown.MigrationLease]
	r := k.role(controller)
	mainRuns, migrationRuns := r.main && main != nil, r.migration && migration != nil
	if !mainRuns && !migrationRuns {
		return Interval{}, false
	}
	i := Interval{Process: k.shown(), End: k.end, ended: k.ended, ByRule: k.byRule, Why: k.why, Certain: !r.never}
	switch {
	case mainRuns && migrationRuns:
		i.Start = Bound{Earliest: k.main.Earliest, Latest: later(k.migration.Latest.Add(maxStartTime), k.runsBy(k.main, main)), Source: k.migration.Source}
	case mainRuns:
		i.Start = k.main
		i.Start.Latest = k.runsBy(i.Start, main)
		i.Certain = i.Certain && !r.migration
	default:
		i.Start = k.migration
		i.Start.Latest = i.Start.Latest.Add(maxStartTime)
		i.Certain = i.Certain && (!r.main || main != nil)
	}
	if i.Start.Earliest.Before(from) {
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

// mainLeaseOf returns the main lease of a program.
func mainLeaseOf(program string) string {
	if program == wellknown.CCM {
		return wellknown.CCMLease
	}
	return wellknown.KCMLease
}

func (k known) shown() Process {
	out := Process{Identity: k.identity, Program: k.program, Host: k.host()}
	if k.run != nil {
		out.Container = k.run.id
	}
	return out
}

// certain returns when an interval certainly was in progress; ok is false if never.
func (i Interval) certain() (from, to time.Time, ok bool) {
	return i.Start.Latest, i.End.Earliest, i.Certain && i.End.Earliest.After(i.Start.Latest)
}

// maxOverlaps limits the overlaps of a lane, and maxOfOne those of one process that nothing
// excludes.
const (
	maxOverlaps = 1000
	maxOfOne    = 50
)

// overlaps judges pairs of intervals. For each process, it stops at the first successor that its
// end or the lease's rule excludes: both exclude all later ones, too. more counts the omitted
// pairs.
func overlaps(all []Interval) (found []Overlap, more int) {
	worst := Excluded
	add := func(first, second Interval, o Overlap) {
		worse := worst == Excluded && o.Kind != Excluded || worst == Possible && o.Kind == Seen
		if len(found) >= maxOverlaps && !worse {
			more++
			return
		}
		if worse {
			worst = o.Kind
		}
		o.explain(first, second)
		found = append(found, o)
	}
	for n, first := range all {
		for m, second := range all[n+1:] {
			o := overlap(first, second)
			if m >= maxOfOne && o.Kind == Possible && !o.OnlyIfFrozen {
				more += len(all) - n - 1 - m
				break
			}
			add(first, second, o)
			if o.Kind == Excluded || o.OnlyIfFrozen {
				break
			}
		}
	}
	if first, second, ok := certainPair(all); ok && worst != Seen {
		add(first, second, overlap(first, second))
	}
	return found, more
}

// certainPair returns two intervals that certainly overlapped; ok is false without any.
func certainPair(all []Interval) (first, second Interval, ok bool) {
	sorted := slices.DeleteFunc(slices.Clone(all), func(i Interval) bool { _, _, ok := i.certain(); return !ok })
	slices.SortStableFunc(sorted, func(a, b Interval) int { return a.Start.Latest.Compare(b.Start.Latest) })
	for _, second := range sorted {
		if _, _, ok := both(first, second); ok {
			return first, second, true
		}
		if second.End.Earliest.After(first.End.Earliest) {
			first = second
		}
	}
	return first, second, false
}

// overlap judges two intervals, of which the second began later.
func overlap(first, second Interval) Overlap {
	o := Overlap{First: first.Process, Second: second.Process}
	if from, to, ok := both(first, second); ok {
		o.Kind, o.From, o.To = Seen, from, to
		return o
	}
	begins := later(first.Start.Earliest, second.Start.Earliest)
	if !first.End.Latest.IsZero() && !begins.Before(first.End.Latest) {
		o.Kind = Excluded
		return o
	}
	o.Kind, o.From, o.To = Possible, begins, earlier(first.End.Latest, second.End.Latest)
	if !first.ByRule.IsZero() && !begins.Before(first.ByRule) {
		o.OnlyIfFrozen, o.To = true, first.End.Latest
	}
	return o
}

// explain records why an overlap was judged so.
func (o *Overlap) explain(first, second Interval) {
	who := first.Process.Identity
	switch {
	case o.Kind == Seen:
		o.Why = fmt.Sprintf("%s still wrote a lease while %s led", who, second.Process.Identity)
	case o.Kind == Excluded:
		o.Why = fmt.Sprintf("the kubelet reported that the container of %s had ended before %s acquired its lease", who, second.Process.Identity)
	case o.OnlyIfFrozen:
		o.Why = fmt.Sprintf("by its renew deadline %s had ended, unless it was frozen", who)
	default:
		o.Why = fmt.Sprintf("%s may have gone on: %s", who, cmp.Or(first.Why, "its kubelet reported its end no earlier"))
	}
}

// both returns when two intervals certainly overlapped.
func both(a, b Interval) (from, to time.Time, ok bool) {
	fromA, toA, okA := a.certain()
	fromB, toB, okB := b.certain()
	from, to = later(fromA, fromB), earlier(toA, toB)
	return from, to, okA && okB && to.After(from)
}

// span is a part of a time line; a zero from lies before everything.
type span struct{ from, to time.Time }

// hidden returns the spans in which an unseen process may have run a controller: after it lost
// its lease, client-go's rule lets it run for some time.
func (j *Judge) hidden() []span {
	var all []span
	for _, u := range append(j.behind(), j.unseen...) {
		all = append(all, span{u.from, u.until.Add(j.longest.gone())})
	}
	return all
}

// gaps returns the spans outside of the certain intervals, after the first certain one. A process
// that runs when the record ends is certain as long as the leases were watched.
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
	possible = merged(possible)
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

// expected returns until when a process possibly ran, if it follows client-go's rule.
func (i Interval) expected(until time.Time) time.Time {
	end := earlier(earlier(i.End.Latest, i.ended), i.ByRule)
	if end.IsZero() {
		return until
	}
	return later(end, i.End.Earliest)
}

// merged returns spans in order, joined where they touch.
func merged(all []span) []span {
	slices.SortFunc(all, func(a, b span) int { return cmp.Or(a.from.Compare(b.from), a.to.Compare(b.to)) })
	var found []span
	for _, s := range all {
		if !s.to.After(s.from) {
			continue
		}
		if n := len(found) - 1; n >= 0 && !s.from.After(found[n].to) {
			found[n].to = later(found[n].to, s.to)
			continue
		}
		found = append(found, s)
	}
	return found
}

// uncovered returns how much of a span is outside of the merged others.
func uncovered(of span, others []span) time.Duration {
	free := of.to.Sub(of.from)
	first := sort.Search(len(others), func(n int) bool { return others[n].to.After(of.from) })
	for _, o := range others[first:] {
		if !o.from.Before(of.to) {
			break
		}
		free -= earlier(o.to, of.to).Sub(later(o.from, of.from))
	}
	return free
}

// unwatchedUntil returns the gaps of the watches. A gap without an end lasts until the end of the
// record, with unknown losses.
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
			all = append(all, record.Unwatched{Stream: stream, From: j.from, Until: until, Lost: true, Why: neverWatched})
		}
	}
	return all
}

func (j *Judge) unseenStretches() []Stretch {
	var all []Stretch
	for _, u := range append(slices.Clone(j.unseen), j.behind()...) {
		all = append(all, Stretch{From: u.from, To: u.until, Why: "another process may have held lease " + u.lease + ": " + u.why})
	}
	return all
}

// notes returns further limits of the judgement, besides unwatched times.
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
	if !slices.ContainsFunc(j.podOrder, func(uid string) bool { return j.pods[uid].now.Program == wellknown.KCM }) {
		notes = append(notes, "no pod of kube-controller-manager was seen (RKE runs it outside the API): what its arguments are and when it ended is not known")
	}
	slices.Sort(notes)
	return slices.Compact(notes)
}
