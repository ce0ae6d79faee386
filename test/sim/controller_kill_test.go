package sim

import (
	"fmt"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// leg is a part of the sequence Audit, plan, approve, Migrate, Undo, up to a goal.
type leg struct {
	last string // goal
	from *World
	want outcome
	// states holds the states in which the controller can be killed: before each call to the
	// management cluster, by it or its run, and after each write there.
	states []killed
	writes []time.Time // of the status
}

// killed is a world in which a controller was killed.
type killed struct {
	point
	class string // of the call
}

// classOf returns the purpose of a call to the management cluster.
func classOf(when string, c Call) string {
	m := apiPath.FindStringSubmatch(c.Path)
	if m == nil {
		return when + " discovery"
	}
	name, of := m[7], ""
	switch {
	case name == planName:
		of = " plan"
	case name == "awsmigrate":
		of = " election"
	case strings.HasPrefix(name, "awsmigrate"):
		of = " of the run"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s%s %s", when, c.Verb, m[5]+m[6], of, m[8]))
}

// traceLeg runs a copy of from to the goal without disturbance, and finds the states.
func traceLeg(t *testing.T, from *World, last string) (l *leg, end *World) {
	t.Helper()
	l, end = &leg{last: last, from: from}, from.clone()
	seen := int64(-1)
	note := func(when string, c Call) {
		if now := end.changes(); now != seen {
			seen = now
			l.states = append(l.states, killed{point{world: end.clone(), where: fmt.Sprintf("%s call %d, %s", when, c.N, c)}, classOf(when, c)})
		}
	}
	o := pod{Next: true, Before: func(c Call) Outcome {
		requireApproval(t, end, c)
		if c.Server == end.mgmt.name {
			note("before", c)
		}
		return Pass
	}, After: func(c Call) {
		if c.Server != end.mgmt.name || !c.Writes {
			return
		}
		note("after", c)
		if strings.HasSuffix(c.Path, "/status") {
			l.writes = append(l.writes, end.now)
		}
	}}
	if !carry(t, o, end, last) {
		t.Fatalf("goal %s was not reached without a disturbance: %s", last, must(jsonOf(end.migration())))
	}
	l.want = endOf(end)
	return l, end
}

// mayUnapproved lists the objects that a controller writes without an approved plan: status and
// events, its decisions, and audits.
var mayUnapproved = []string{"/clustermigrations", "/events", "/leases/awsmigrate", "/leases", "/configmaps"}

// requireApproval compares every write with the object: no write serves a goal without an approved
// plan. w.mu is held.
func requireApproval(t *testing.T, w *World, c Call) {
	t.Helper()
	if !c.Writes || c.Server == w.mgmt.name && slices.ContainsFunc(mayUnapproved, func(may string) bool { return strings.Contains(c.Path, may) }) {
		return
	}
	m := w.migration()
	if text(m, "spec", "approvedPlan") == "" || text(m, "metadata", "annotations", approvedFor) != text(m, "spec", "goal") {
		t.Errorf("%s: goal %q has no approved plan", c, text(m, "spec", "goal"))
	}
}

// outcome holds everything that must be equal after a kill.
type outcome struct {
	Cluster map[string]string // both API servers, except the following
	Spec    any
	Status  any
	Plans   any
	Kept    []string // names of awsmigrate's objects
	Journal string
	Edits   int64 // number of changes of the Cluster: a repeated step adds one
}

var (
	timeOfDay = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	// leaderIntents match the journal's lines of a hand-over and of the CCM's pods. They name the
	// run, pods and containers, and a run that resumes behind a fence, or after some pods, adds no
	// line.
	leaderIntents = regexp.MustCompile(`(?m)^(hand-over .*|disable-leader-migration (delete Pod|free Lease) .*)\n`)
)

func endOf(w *World) outcome {
	e := outcome{Cluster: w.Dump(), Journal: leaderIntents.ReplaceAllString(timeOfDay.ReplaceAllString(w.journalState(), "then"), ""), Edits: number(w.mgmt.peek(provClusters, fleet, clusterName), "metadata", "generation")}
	maps.DeleteFunc(e.Cluster, func(k, _ string) bool { return strings.Contains(k, migrations) })
	m := decoded(must(jsonOf(w.migration()))).(object)
	status := mapAt(m, "status")
	withoutTimes(status)
	delete(mapAt(status, "audit"), "at")
	// The history also lists a killed run.
	if runs := list(status, "history"); len(runs) > 0 {
		last := runs[0].(object)
		status["history"] = object{"result": last["result"], "plan": last["plan"]}
	}
	e.Spec, e.Status = m["spec"], status
	plans := object{}
	for name, v := range mapAt(w.mgmt.get("configmaps", fleet, planName), "data") {
		plans[name] = v
	}
	e.Plans = plans
	for k := range w.mgmt.objects {
		if isOwn(k) {
			e.Kept = append(e.Kept, k.resource+" "+k.name)
		}
	}
	slices.Sort(e.Kept)
	return e
}

// A controller may be killed at any call to the management cluster, by it or its run. The next
// controller then reaches the same end: the cluster, the journal, the plans and the object, even
// if its status was wiped. Every second time the next one is the next container of the same pod,
// otherwise another pod on another machine.
func TestControllerKilledAtEveryCall(t *testing.T) {
	t.Parallel()
	there, migrated := traceLeg(t, controlled(t), "Migrate")
	back, _ := traceLeg(t, migrated, "Undo")
	for _, l := range []*leg{there, back} {
		t.Run(l.last, func(t *testing.T) {
			requireFewWrites(t, l.writes)
			l.killAll(t)
		})
	}
}

// chooseStates returns the states to try: all with AWSMIGRATE_SIM=all. Otherwise it returns the
// first of each writing class, and each every-th.
func (l *leg) chooseStates(every int) []killed {
	if every = sampleStride(every); every == 1 {
		return l.states
	}
	var chosen []killed
	known := map[string]bool{}
	for i, s := range l.states {
		first := !known[s.class] && strings.HasPrefix(s.class, "after")
		if known[s.class] = true; first || i%every == every/2 {
			chosen = append(chosen, s)
		}
	}
	return chosen
}

func (l *leg) killAll(t *testing.T) {
	all := l.chooseStates(40)
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				l.resume(t, all[i], i)
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	workers.Wait()
	classes := map[string]bool{}
	for _, s := range all {
		classes[s.class] = true
	}
	t.Logf("counts: a controller killed on the way to %s in %d of %d states, at calls of %d kinds", l.last, len(all), len(l.states), len(classes))
}

// resume lets another controller continue after a kill.
func (l *leg) resume(t *testing.T, s killed, i int) {
	t.Helper()
	w, o, wiped := s.world, pod{Next: i%2 == 0}, i/2%2 == 0
	if m := w.mgmt.get(migrations, fleet, clusterName); m != nil && wiped {
		delete(m, "status")
		w.mgmt.put(migrations, m, w.now)
	}
	o.Before = func(c Call) Outcome { requireApproval(t, w, c); return Pass }
	where := fmt.Sprintf("killed %s; same pod: %t, status wiped: %t", s.where, o.Next, wiped)
	if !carry(t, o, w, l.last) {
		t.Errorf("%s: goal %s was not reached: %s", where, l.last, must(jsonOf(w.migration())))
		return
	}
	if wrong := append(append(w.Violations(), w.cordonFaults()...), journalFaults(w)...); len(wrong) > 0 {
		t.Errorf("%s: %v", where, wrong)
	}
	if diff := cmp.Diff(l.want, endOf(w)); diff != "" {
		t.Errorf("%s: the result differs (-wanted +is):\n%s", where, diff)
	}
}

// maxStatuses is the maximum number of status writes per minute for a running cluster.
const maxStatuses = 12

func requireFewWrites(t *testing.T, writes []time.Time) {
	t.Helper()
	most := 0
	for i := range writes {
		n := 1
		for n <= i && writes[i].Sub(writes[i-n]) < time.Minute {
			n++
		}
		most = max(most, n)
	}
	if t.Logf("counts: the status was written %d times, at most %d times in a minute", len(writes), most); most > maxStatuses {
		t.Errorf("the status was written %d times in a minute, wanted at most %d", most, maxStatuses)
	}
}
