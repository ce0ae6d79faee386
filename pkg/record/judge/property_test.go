package judge

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// disturb does one thing that happens to clusters.
func (m *model) disturb() {
	running := slices.DeleteFunc(slices.Clone(m.all), func(p *simProcess) bool { return !p.ended.IsZero() })
	if len(running) == 0 {
		return
	}
	victim := running[m.rnd.IntN(len(running))]
	for _, p := range running { // leaders are chosen more often
		if !p.loops.IsZero() && m.rnd.IntN(2) == 0 {
			victim = p
		}
	}
	switch m.rnd.IntN(13) {
	case 0:
		m.exit(victim)
	case 1:
		m.roll(victim.pod)
	case 2:
		if m.freezes {
			victim.frozenUntil, victim.everFrozen = m.now.Add(m.between(time.Second, 40*time.Second)), true
		}
	case 3:
		m.clear()
	case 4:
		m.fence()
	case 5:
		m.lose(m.between(500*time.Millisecond, 40*time.Second))
	case 6:
		m.stalled = m.now.Add(m.between(0, 20*time.Second))
	case 7:
		m.invent(victim.pod)
	case 8:
		m.deletePod(victim.pod)
	case 9, 10:
		m.rollUnseen(victim.pod)
	case 11:
		m.forceUnseen(victim.pod)
	case 12:
		m.remove()
	}
}

// remove deletes the migration lease, as an upgrade or a person may.
func (m *model) remove() {
	l := *m.lease(wellknown.MigrationLease)
	if !l.gone {
		m.write(wellknown.MigrationLease, simLease{gone: true, uid: l.uid})
	}
}

// roll replaces a static pod: the old container ends before or well after the new one begins, and
// its end is never reported.
func (m *model) roll(p *simPod) {
	if p.record.Program != wellknown.KCM || p.process == nil || p.hidden {
		return
	}
	old, flagged, inTree := p.process, m.rnd.IntN(3) > 0, m.rnd.IntN(2) == 0
	m.tell(record.Changing)
	p.process, p.record.Gone = nil, true
	m.reportPod(p)
	if m.rnd.IntN(2) == 0 {
		old.ended = m.now
	} else {
		m.outlives(old, m.between(0, 25*time.Second))
	}
	m.newPod(wellknown.KCM, old.host, flagged, inTree)
}

// outlives makes a process end after a while without a report.
func (m *model) outlives(p *simProcess, d time.Duration) {
	p.pod = &simPod{again: m.now.Add(d)}
	m.tasks = append(m.tasks, task{m.now.Add(d), func() {
		if p.ended.IsZero() {
			p.ended = m.now
		}
	}})
}

// rollUnseen replaces a static pod while its restarting kubelet reaches no API server. The old
// container remains until the kubelet has listed its pods again, up to 20 s after it is back.
// Only then it reports the new pod, shortly before it ends the old one.
func (m *model) rollUnseen(p *simPod) {
	if p.record.Program != wellknown.KCM || p.process == nil || p.hidden {
		return
	}
	k, old := m.kubelets[p.record.Node], p.process
	if m.now.Before(k.away) {
		return
	}
	back := m.between(time.Second, 20*time.Second)
	lists := m.between(0, 20*time.Second)
	m.tell(record.Changing)
	k.away = m.now.Add(back)
	p.process, p.record.Gone = nil, true
	old.pod = &simPod{again: m.now} // its end is never reported
	next := m.newPod(wellknown.KCM, old.host, m.rnd.IntN(3) > 0, m.rnd.IntN(2) == 0)
	k.held = nil
	m.tasks = append(m.tasks, task{m.now.Add(back + lists), func() {
		m.commitPod(p)
		m.commitPod(next)
		next.hidden = false
		m.outlives(old, m.between(900*time.Millisecond, 2400*time.Millisecond))
	}})
	next.hidden = true
	if m.rnd.IntN(2) == 0 { // it ends meanwhile, as it reaches no API server
		m.tasks = append(m.tasks, task{m.now.Add(m.between(500*time.Millisecond, back+lists)), func() {
			if next.process != nil {
				m.exit(next.process)
			}
		}})
	}
	for _, leader := range m.all { // and another one leads, which may be the old one
		if m.rnd.IntN(2) == 0 && leader != old && leader.ended.IsZero() && !leader.loops.IsZero() {
			m.exit(leader)
		}
	}
}

// forceUnseen deletes a CCM's pod by force while its kubelet reaches no API server. The object is
// replaced at once, but the process continues until the kubelet has listed its pods again, and
// for its grace period.
func (m *model) forceUnseen(p *simPod) {
	if p.record.Program != wellknown.CCM || p.process == nil || p.hidden {
		return
	}
	k, old := m.kubelets[p.record.Node], p.process
	if m.now.Before(k.away) {
		return
	}
	back := m.between(5*time.Second, 60*time.Second)
	p.process, p.record.Gone, p.again = nil, true, time.Time{}
	m.commitPod(p)
	old.pod = &simPod{again: m.now}
	m.count++
	bound := &simPod{record: p.record}
	bound.record.Gone, bound.record.UID, bound.record.Started, bound.record.Containers = false, fmt.Sprintf("pod-%d", m.count), time.Time{}, nil
	m.pods = append(m.pods, bound)
	m.commitPod(bound)
	k.away = m.now.Add(back)
	m.tasks = append(m.tasks, task{k.away.Add(m.between(0, 36*time.Second)), func() {
		bound.record.Started = m.clock(old.host).Truncate(time.Second)
		m.start(bound, true, false)
		m.outlives(old, m.between(0, 25*time.Second))
	}})
}

// clear clears the holder of the migration lease, as no process should.
func (m *model) clear() {
	l := *m.lease(wellknown.MigrationLease)
	if l.holder != "" && !l.gone {
		l.holder = ""
		m.write(wellknown.MigrationLease, l)
	}
}

// fence writes a holder that is no process.
func (m *model) fence() {
	l := *m.lease(wellknown.MigrationLease)
	if l.holder != "" && !l.gone {
		l.holder, l.renew, l.manager = "awsmigrate-fence_x", m.now, "awsmigrate"
		m.write(wellknown.MigrationLease, l)
	}
}

// invent makes the kubelet report an invented end of a running container.
func (m *model) invent(p *simPod) {
	if p.process == nil || p.record.Gone || p.hidden {
		return
	}
	kept := p.record.Containers
	p.record.Containers = []record.Container{{State: record.Terminated, Reason: "ContainerStatusUnknown", Exit: 137, Restarts: int32(p.ends), Finished: m.clock(p.record.Node).Truncate(time.Second)}}
	m.reportPod(p)
	p.record.Containers = kept
	m.reportPod(p)
}

// deletePod deletes a CCM's pod, sometimes by force: then the process outlives it.
func (m *model) deletePod(p *simPod) {
	if p.record.Program != wellknown.CCM || p.process == nil || p.hidden {
		return
	}
	old := p.process
	if m.rnd.IntN(3) == 0 {
		p.process = nil
		m.outlives(old, m.between(0, 20*time.Second))
	} else {
		m.exit(old)
	}
	p.record.Gone, p.again = true, time.Time{}
	m.reportPod(p)
	m.newPod(wellknown.CCM, old.host, true, false)
}

// lived is a model after some time, with the result of its record.
func lived(seed uint64) (*model, time.Time, Result) {
	m := newModel(seed)
	flagged := m.rnd.IntN(3) > 0
	for i := range 3 {
		m.newPod(wellknown.KCM, host(i), flagged, true)
	}
	steps := func(d time.Duration) {
		for end := m.now.Add(d); m.now.Before(end); {
			m.step()
		}
	}
	steps(m.between(5*time.Second, 50*time.Second))
	if m.rnd.IntN(2) == 0 { // the predecessor of a pod at the begin of the record is unseen
		for _, p := range m.all {
			if !p.loops.IsZero() {
				m.exit(p)
			}
		}
		steps(m.between(0, 13*time.Second))
		if old := m.pods[m.rnd.IntN(3)]; m.rnd.IntN(2) == 0 {
			m.roll(old)
		} else {
			m.rollUnseen(old)
		}
		steps(m.between(0, 15*time.Second))
	}
	began := m.now
	m.begin()
	steps(m.between(time.Second, 20*time.Second))
	for i := range 3 {
		m.newPod(wellknown.CCM, host(i), true, false)
	}
	for range 3 + m.rnd.IntN(6) {
		steps(m.between(time.Second, 40*time.Second))
		m.disturb()
	}
	steps(m.between(time.Second, 30*time.Second))
	j := New()
	for _, e := range m.record() {
		_ = j.Put(e) // it never fails
	}
	return m, began, j.Result()
}

// truth returns when a process really ran the controllers.
type truth struct {
	p        *simProcess
	from, to time.Time
}

// truths returns those within the record.
func (m *model) truths(began time.Time) []truth {
	var all []truth
	for _, p := range m.all {
		to := p.ended
		if to.IsZero() {
			to = m.now
		}
		if !p.loops.IsZero() && p.loops.Before(to) && to.After(began) {
			all = append(all, truth{p, p.loops, to})
		}
	}
	return all
}

// seeds returns a range, and further seeds with which the judge, or a seeded defect, once failed:
// the model has grown since, and derives other clusters from the older ones.
func seeds() []uint64 {
	all := []uint64{1818, 1933, 2634, 5030, 7582, 10366, 10910, 18720}
	for seed := range uint64(1000) {
		all = append(all, seed)
	}
	return all
}

// TestTruthLiesWithinTheBounds generates random clusters and events. Every true interval must be
// within the judged bounds, and no true overlap may be excluded.
func TestTruthLiesWithinTheBounds(t *testing.T) {
	seen := map[string]int{}
	for _, seed := range seeds() {
		m, began, result := lived(seed)
		if problems := m.wrong(began, result, seen); len(problems) > 0 {
			t.Fatalf("seed %d: %s\n%s", seed, problems, m.told(began, result))
		}
	}
	for what, least := range map[string]int{"overlap seen": 300, "overlap possible": 5, "overlap excluded": 300, "true overlap": 5, "true gap": 300, "end by kubelet": 400, "unseen process": 5} {
		if seen[what] < least {
			t.Errorf("%s: %d times in all, of which it shows too little: %v", what, seen[what], seen)
		}
	}
	t.Logf("%v", seen)
}

// wrong returns the false statements of a result.
func (m *model) wrong(began time.Time, r Result, seen map[string]int) []string {
	var problems []string
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	lane, all := r.Lanes[0], m.truths(began)
	for _, one := range all {
		i := slices.IndexFunc(lane.Intervals, func(i Interval) bool { return i.Process.Identity == one.p.identity })
		if i < 0 {
			seen["unseen process"]++
			if !covered(one, r) {
				bad("%s ran and was not seen, and nothing says so", one.p.identity)
			}
			continue
		}
		m.wrongInterval(one, lane.Intervals[i], bad, seen)
	}
	for n, a := range all {
		for _, b := range all[n+1:] {
			if from, to := later(a.from, b.from), earlier(a.to, b.to); to.After(from) {
				seen["true overlap"]++
				if !toldOf(a, b, from, to, r) {
					bad("%s and %s overlapped from %s to %s, and nothing says so", a.p.identity, b.p.identity, at(from), at(to))
				}
			}
		}
	}
	if verdict := r.Verdict(); twoRan(all, r.Until.Add(-4*time.Second)) && (verdict == Single || verdict == ByRule && !m.frozen()) {
		bad("two ran at once, and the verdict is %q", verdict)
	}
	for _, o := range lane.Overlaps {
		seen["overlap "+string(o.Kind)]++
		if o.Kind == Seen && !reallyTwo(o, all) {
			bad("%s and %s were seen at once, and were not", o.First.Identity, o.Second.Identity)
		}
	}
	if !m.frozen() {
		m.wrongGaps(all, lane, bad, seen)
	}
	return problems
}

// frozen reports whether a process was frozen.
func (m *model) frozen() bool {
	return slices.ContainsFunc(m.all, func(p *simProcess) bool { return p.everFrozen })
}

// twoRan reports whether two processes ran at once before a time: a later overlap may not be
// visible yet.
func twoRan(all []truth, until time.Time) bool {
	for n, a := range all {
		for _, b := range all[n+1:] {
			if from := later(a.from, b.from); earlier(a.to, b.to).After(from) && from.Before(until) {
				return true
			}
		}
	}
	return false
}

// wrongInterval compares the bounds of a process with what it did.
func (m *model) wrongInterval(one truth, i Interval, bad func(string, ...any), seen map[string]int) {
	who := one.p.identity
	if one.from.Before(i.Start.Earliest) {
		bad("%s began at %s, before %s", who, at(one.from), at(i.Start.Earliest))
	}
	if from, to, ok := i.certain(); ok {
		if from.Before(one.from) {
			bad("%s began at %s, and is certain from %s on", who, at(one.from), at(from))
		}
		if to.After(one.to) {
			bad("%s ended at %s, and is certain until %s", who, at(one.to), at(to))
		}
	}
	if !m.frozen() && !i.ByRule.IsZero() && one.to.After(i.ByRule) {
		bad("%s ended at %s, by the rule at %s", who, at(one.to), at(i.ByRule))
	}
	if i.End.Latest.IsZero() {
		return
	}
	seen["end by "+i.End.Source]++
	if one.to.After(i.End.Latest) || one.p.ended.IsZero() {
		bad("%s ended at %s, after %s", who, at(one.to), at(i.End.Latest))
	}
}

// covered reports whether the result mentions an unseen process.
func covered(one truth, r Result) bool {
	for _, u := range r.Unwatched {
		if !u.From.After(one.from) && one.from.Before(u.Until) {
			return true
		}
	}
	for _, u := range r.Unseen {
		if !u.From.After(one.from) && one.from.Before(u.To) {
			return true
		}
	}
	return r.Until.Sub(one.from) < 4*time.Second // it had only begun, or no read followed
}

// toldOf reports whether the result mentions an overlap: as seen, as possible, or as not watched.
func toldOf(a, b truth, from, to time.Time, r Result) bool {
	has := func(o Overlap, p *simProcess) bool {
		return o.First.Identity == p.identity || o.Second.Identity == p.identity
	}
	for _, o := range r.Lanes[0].Overlaps {
		if has(o, a.p) && has(o, b.p) && o.Kind == Excluded {
			return false
		}
		within := !from.Before(o.From) && (o.To.IsZero() || !to.After(o.To)) || o.Kind == Seen
		if o.Kind != Excluded && within && (has(o, a.p) && has(o, b.p) || o.OnlyIfFrozen && (o.First.Identity == a.p.identity || o.First.Identity == b.p.identity)) {
			return true
		}
	}
	for _, one := range []truth{a, b} {
		known := slices.ContainsFunc(r.Lanes[0].Intervals, func(i Interval) bool { return i.Process.Identity == one.p.identity })
		if !known && covered(one, r) {
			return true
		}
	}
	return false
}

func reallyTwo(o Overlap, all []truth) bool {
	var both []truth
	for _, one := range all {
		if one.p.identity == o.First.Identity || one.p.identity == o.Second.Identity {
			both = append(both, one)
		}
	}
	return len(both) == 2 && !o.From.Before(later(both[0].from, both[1].from)) && !o.To.After(earlier(both[0].to, both[1].to))
}

// wrongGaps compares gaps with the times in which no process ran.
func (m *model) wrongGaps(all []truth, lane Lane, bad func(string, ...any), seen map[string]int) {
	var spans []span
	for _, one := range all {
		spans = append(spans, span{one.from, one.to})
	}
	for _, g := range lane.Gaps {
		free := uncovered(span{g.From, g.To}, merged(spans))
		if free < g.Least || free > g.Greatest {
			bad("gap from %s to %s: no process ran for %s, the result is %s to %s", at(g.From), at(g.To), free, g.Least, g.Greatest)
		}
		if free > 0 {
			seen["true gap"]++
		}
	}
}

func at(t time.Time) string { return t.Sub(epoch).String() }

// told returns all entries, to look for the mistake.
func (m *model) told(began time.Time, r Result) string {
	text := fmt.Sprintf("record from %s to %s, clocks %v\n", at(began), at(m.now), m.offset)
	for _, p := range m.all {
		if len(p.locks) > 0 && !p.loops.IsZero() {
			text += fmt.Sprintf("true    %s %s %s: ran %s to %s flagged %v in-tree %v\n", p.identity, p.program, p.container, at(p.loops), at(p.ended), p.flagged, p.inTree)
		}
	}
	for _, i := range r.Lanes[0].Intervals {
		text += fmt.Sprintf("judged  %s %s %s: start %s..%s end %s..%s (%s) certain %v rule %s running %v: %s\n", i.Process.Identity, i.Process.Program, i.Process.Container, at(i.Start.Earliest), at(i.Start.Latest),
			at(i.End.Earliest), at(i.End.Latest), i.End.Source, i.Certain, at(i.ByRule), i.Running, i.Why)
	}
	for _, o := range r.Lanes[0].Overlaps {
		text += fmt.Sprintf("overlap %s %s %s %s..%s frozen %v: %s\n", o.Kind, o.First.Identity, o.Second.Identity, at(o.From), at(o.To), o.OnlyIfFrozen, o.Why)
	}
	for _, u := range r.Unwatched {
		text += fmt.Sprintf("missed  %s %s..%s lost %v\n", u.Stream, at(u.From), at(u.Until), u.Lost)
	}
	return text
}
