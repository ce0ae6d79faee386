package judge

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// A static pod was replaced shortly before its process acquired the migration lease, and no
// kubelet reported the end of the one before. A process that stood unseen behind the new
// pod had the arguments of the old one: without the flag it is not who took that lease.
func TestProcessBehindAReplacedPod(t *testing.T) {
	const flag = "--enable-leader-migration=true"
	for _, test := range []struct {
		name    string
		started float64 // of the pod before
		before  []string
		frozen  string
		judged  func(*script) Result
		kind    Kind
	}{
		{"the one before had no flag", -600, nil, "", (*script).judged, Excluded},
		{"it had the flag", -600, []string{flag}, "", (*script).judged, Possible},
		{"its arguments may be others than it shows", -600, nil, "fixed UID", (*script).judged, Possible},
		{"another may have stood behind it, too", 10, nil, "", (*script).judged, Possible},
		{"nobody read the Node's lease", -600, nil, "", (*script).alone, Possible},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := (&script{}).at(0, record.Entry{Header: &record.Header{Form: record.Form, Name: "demo"}})
			s.at(0, record.Entry{Node: &record.Node{Name: "cp-0", UID: "cp-0", ControlPlane: true}})
			s.at(0, record.Entry{Node: &record.Node{Name: "cp-1", UID: "cp-1", ControlPlane: true}})
			kcm := func(at float64, uid, id string, started float64, flags ...string) *record.Pod {
				p := &record.Pod{Namespace: "kube-system", Name: "kcm-cp-0", UID: uid, Program: wellknown.KCM, Node: "cp-0", Mirror: true, HostNetwork: true, Started: on(started),
					Flags: append([]string{"--cloud-provider=aws"}, flags...), Containers: []record.Container{{ID: id, State: record.Running, Started: on(started)}}}
				s.at(at, record.Entry{Pod: p})
				return p
			}
			kcm(0, "old", "k-old", test.started, test.before...).Frozen = test.frozen
			s.pod(0, record.Running, wellknown.CCM, "cp-1", "c1", flag)
			s.hold(0, 0, wellknown.CCMLease, "cp-1_b", 1)
			for _, stream := range []record.Stream{record.Leases, record.Pods} {
				s.at(0, record.Entry{Begun: &record.Begun{Stream: stream}})
			}
			kcm(5, "old", "k-old", test.started, test.before...).Gone = true
			s.all[len(s.all)-1].Pod.Frozen = test.frozen
			kcm(5, "new", "k-new", 5, flag)
			for x := 20.0; x < 40; x += 2 {
				s.hold(x, 620, wellknown.KCMLease, "cp-0_a", 1).hold(x+0.1, 620, wellknown.MigrationLease, "cp-0_a", 1)
			}
			ended := kcm(41, "new", "k-new", 5, flag)
			ended.Containers[0].State, ended.Containers[0].Finished = record.Terminated, on(41)
			s.ccmLeads(55, 100)
			found := test.judged(s).Lanes[0].Overlaps
			if len(found) != 1 || found[0].Kind != test.kind {
				t.Errorf("overlaps %+v, wanted one that is %s", found, test.kind)
			}
		})
	}
}

// A kubelet that was away shows the last containers of a pod, and not those before: one of
// them may hold a process that acquired its lease before the first that is shown began.
func TestContainerThatWasNeverShown(t *testing.T) {
	shown := func(restarts int32) []*run {
		return []*run{{id: "a", seen: on(50), started: on(40), restarts: restarts}}
	}
	for _, test := range []struct {
		name            string
		podStarted      time.Time
		runs            []*run
		acquired, alive time.Time
		want            int // containers that fit
	}{
		{"acquired before the first one began, which had another before it", on(0), shown(1), on(30), on(35), 1},
		{"which had none before it", on(0), shown(0), on(30), on(35), 0},
		{"it ran when the first was seen", on(0), shown(1), on(30), on(60), 0},
		{"acquired before the pod was started", on(31), shown(1), on(30), on(35), 0},
		{"acquired in the first", on(0), shown(1), on(45), on(48), 1},
		{"a pod that was started, and of which no container is shown", on(0), nil, on(30), on(35), 1},
		{"a pod that was not", time.Time{}, nil, on(30), on(35), 0},
		{"nobody knows when it was acquired", on(0), shown(2), time.Time{}, on(35), 2},
	} {
		p := &pod{now: record.Pod{Started: test.podStarted}, runs: test.runs}
		if got := p.within(time.Time{}, test.acquired, test.alive); len(got) != test.want {
			t.Errorf("%s: %d fit, wanted %d", test.name, len(got), test.want)
		}
	}
}

// A container holds a process only if it ran when that one acquired its lease and wrote, by
// what was received, and by the clock that both have.
func TestContainersThatFit(t *testing.T) {
	shown := func(reported, started, finished float64, restarts int32) *run {
		return &run{id: "a", started: on(started), finished: on(finished), reported: on(reported), restarts: restarts}
	}
	for _, test := range []struct {
		name                      string
		runs                      []*run
		earliest, acquired, alive float64
		want                      int
	}{
		{"it runs", []*run{shown(never, 10, never, 0)}, 20, 20, 30, 1},
		{"began later", []*run{shown(never, 21, never, 0)}, 20, 20, 30, 0},
		{"began later, and nobody knows when it was acquired", []*run{shown(never, 21, never, 0)}, 20, never, 30, 1},
		{"ended since", []*run{shown(40, 10, 39, 0)}, 20, 20, 30, 1},
		{"its end was told before it can have been acquired", []*run{shown(19, 10, 18, 0)}, 20, never, never, 0},
		{"its end was told before it wrote", []*run{shown(29, 10, 28, 0)}, 20, 20, 30, 0},
		{"its end was told late", []*run{shown(40, 10, 15, 0)}, 14, 20, 30, 0},
		{"in the second of its end", []*run{shown(40, 10, 19, 0)}, 14, 19.5, 30, 1},
		{"its end was told late, and nobody knows when it was acquired", []*run{shown(40, 10, 15, 0)}, 14, never, 30, 1},
		{"two behind each other", []*run{shown(never, 10, never, 3), shown(never, 15, never, 4)}, 20, 20, 30, 2},
		{"and one between them that nobody saw", []*run{shown(never, 10, never, 3), shown(never, 15, never, 5)}, 20, 20, 30, 3},
	} {
		p := &pod{runs: test.runs}
		if got := p.within(on(test.earliest), on(test.acquired), on(test.alive)); len(got) != test.want {
			t.Errorf("%s: %d fit, wanted %d", test.name, len(got), test.want)
		}
	}
}

// onNode are pods of one Node in the order in which they came.
func onNode(all ...*pod) *Judge {
	j := New()
	for n, p := range all {
		p.now.UID = string(rune('a' + n))
		if p.now.Program == "" {
			p.now.Program = wellknown.KCM
		}
		if p.now.Node == "" {
			p.now.Node = "cp-0"
		}
		p.entry = 10 * (n + 1)
		j.pods[p.now.UID], j.podOrder = p, append(j.podOrder, p.now.UID)
	}
	return j
}

// A pod is out of the question when another took its place behind which nothing stands: of a
// static pod another of its name, of others one that came when it was gone.
func TestSuperseded(t *testing.T) {
	static := func(name string, alone float64) *pod {
		return &pod{now: record.Pod{Namespace: "kube-system", Name: name, Mirror: true}, alone: on(alone)}
	}
	plain := func(gone int, alone float64) *pod {
		return &pod{now: record.Pod{Namespace: "kube-system", Name: "p"}, gone: gone, alone: on(alone)}
	}
	elsewhere, other := static("k", 50), static("k", 50)
	elsewhere.now.Node, other.now.Program = "cp-1", wellknown.CCM
	for _, test := range []struct {
		name string
		pods []*pod // the first is asked for
		want bool   // at 60 s
	}{
		{"alone", []*pod{static("k", 50)}, false},
		{"another static pod of its name", []*pod{static("k", never), static("k", 50)}, true},
		{"behind which something may stand", []*pod{static("k", never), static("k", never)}, false},
		{"behind which something may stand then", []*pod{static("k", never), static("k", 61)}, false},
		{"of another name", []*pod{static("k", never), static("l", 50)}, false},
		{"on another Node", []*pod{static("k", never), elsewhere}, false},
		{"of another program", []*pod{static("k", never), other}, false},
		{"it was gone when another came", []*pod{plain(15, never), plain(0, 50)}, true},
		{"it went later", []*pod{plain(25, never), plain(0, 50)}, false},
		{"it is there", []*pod{plain(0, never), plain(0, 50)}, false},
	} {
		if got := onNode(test.pods...).superseded(test.pods[0], on(60)); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	earlier, later := static("k", 50), static("k", never)
	if onNode(earlier, later).superseded(later, on(60)) {
		t.Error("a pod is superseded by one before it")
	}
}

// What stands unseen behind a pod is none of those before it, if each of their containers was
// told to have ended before, or if they cannot have taken the lease.
func TestNoneBefore(t *testing.T) {
	const flag = "--enable-leader-migration=true"
	before := func(flags []string, alone float64, ends ...float64) *pod {
		p := &pod{now: record.Pod{Flags: flags}, alone: on(alone)}
		for _, x := range ends {
			p.runs = append(p.runs, &run{reported: on(x)})
		}
		return p
	}
	flagged := &process{locks: map[string]*tenure{wellknown.MigrationLease: {}}}
	elsewhere := before([]string{flag}, never, never)
	elsewhere.now.Node = "cp-1"
	for _, test := range []struct {
		name   string
		before *pod
		want   bool // acquired at 50 s, alive at 60 s
	}{
		{"all of it had ended", before([]string{flag}, never, 30, 49), true},
		{"it ended as the lease was acquired", before([]string{flag}, never, 51), false},
		{"one did not end", before([]string{flag}, never, 30, never), false},
		{"no container of it was seen", before([]string{flag}, never), false},
		{"it had no flag, and nothing stood behind it", before(nil, 40, never), true},
		{"it had no flag, and something may have stood behind it", before(nil, 61, never), false},
		{"it had the flag, and nothing stood behind it", before([]string{flag}, 40, never), false},
		{"on another Node", elsewhere, true},
	} {
		p := &pod{}
		if got := onNode(test.before, p).noneBefore(flagged, p, on(50), on(60)); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	if (&process{}).cannotBeOf(before(nil, never)) {
		t.Error("who never took the migration lease may be without the flag")
	}
	if wrong := before([]string{"--enable-leader-migration=what"}, never); flagged.cannotBeOf(wrong) {
		t.Error("nobody knows what an argument means that cannot be read")
	}
}

// A pod that was first seen when pods were listed anew may have had others before it.
func TestPodOfAListAnew(t *testing.T) {
	for _, test := range []struct {
		name   string
		missed record.Unwatched
		want   bool
	}{
		{"watched all the time", record.Unwatched{}, false},
		{"listed anew as it was seen", record.Unwatched{Stream: record.Pods, From: on(40), Until: on(50), Lost: true}, true},
		{"listed anew right before", record.Unwatched{Stream: record.Pods, From: on(40), Until: on(49.5), Lost: true}, true},
		{"listed anew long before", record.Unwatched{Stream: record.Pods, From: on(30), Until: on(40), Lost: true}, false},
		{"listed anew later", record.Unwatched{Stream: record.Pods, From: on(51), Until: on(60), Lost: true}, false},
		{"nothing was lost", record.Unwatched{Stream: record.Pods, From: on(40), Until: on(50)}, false},
		{"leases were", record.Unwatched{Stream: record.Leases, From: on(40), Until: on(50), Lost: true}, false},
		{"a line before it cannot be read", record.Unwatched{Stream: record.Pods, From: on(30), Until: on(31), Lost: true, Unreadable: true}, true},
	} {
		p := &pod{seen: on(50)}
		j := onNode(&pod{seen: on(0), alone: on(10)}, p)
		j.podsFrom, j.missed = on(0), []record.Unwatched{test.missed}
		if got := j.unseenBefore(p, on(60)); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	for name, change := range map[string]func(*pod){"another Node": func(p *pod) { p.now.Node = "cp-1" }, "another program": func(p *pod) { p.now.Program = wellknown.CCM }} {
		p, other := &pod{seen: on(50)}, &pod{seen: on(0), beginning: true}
		change(other)
		j := onNode(other, p)
		if j.podsFrom = on(0); j.unseenBefore(p, on(60)) {
			t.Errorf("a pod of %s stands behind it", name)
		}
	}
}

// What a pod showed stays where a later report does not have it, and the first report of an
// end is the one that counts.
func TestReportsOfAPod(t *testing.T) {
	j := New()
	of := func(seconds float64, p record.Pod) *pod {
		p.UID, p.Program = "u", wellknown.CCM
		j.pod(on(seconds), p)
		return j.pods["u"]
	}
	p := of(1, record.Pod{Flags: []string{"--cloud-provider=aws"}})
	if !p.beginning || !p.shown.IsZero() {
		t.Errorf("%+v", p)
	}
	for _, x := range []float64{1.5, 40} {
		_ = j.Put(record.Entry{At: on(x), Begun: &record.Begun{Stream: record.Pods}})
	}
	if !j.podsFrom.Equal(on(1.5)) {
		t.Errorf("pods are watched since %s", at(j.podsFrom))
	}
	p = of(2, record.Pod{Node: "cp-0", Containers: []record.Container{{State: record.Waiting}}})
	if !p.shown.IsZero() || len(p.runs) != 0 {
		t.Errorf("a container that waits was shown: %+v", p)
	}
	p = of(3, record.Pod{Node: "cp-0", Containers: []record.Container{{ID: "c", State: record.Running, Started: on(2)}}})
	if !p.shown.Equal(on(3)) || !p.beginning {
		t.Errorf("%+v", p)
	}
	of(4, record.Pod{Containers: []record.Container{{ID: "c", State: record.Terminated, Reason: "ContainerStatusUnknown", Finished: on(4)}}})
	if !p.runs[0].reported.IsZero() || !p.runs[0].started.Equal(on(2)) {
		t.Errorf("an invented end counts: %+v", p.runs[0])
	}
	of(5, record.Pod{Gone: true, Containers: []record.Container{{ID: "c", State: record.Terminated, Finished: on(5)}}})
	of(6, record.Pod{Gone: true, Containers: []record.Container{{ID: "c", State: record.Terminated, Finished: on(6)}}})
	if !p.runs[0].reported.Equal(on(5)) || !p.runs[0].finished.Equal(on(5)) || p.gone != 5 {
		t.Errorf("the first report does not count: %+v, gone at %d", p.runs[0], p.gone)
	}
	if p.now.Node != "cp-0" || len(p.now.Flags) != 1 {
		t.Errorf("what was shown is lost: %+v", p.now)
	}
	if later := (&Judge{}); later.onHost(p.now, "") {
		t.Error("no host is one")
	}
	j.hosts.nodes["cp-0"] = record.Node{Name: "cp-0"}
	own, unbound := record.Pod{Name: "p", Node: "cp-0"}, record.Pod{Name: "q", HostNetwork: true}
	if !j.onHost(own, "p") || j.onHost(record.Pod{Name: "p", Node: "cp-0", HostNetwork: true}, "p") || j.onHost(unbound, "nowhere") {
		t.Error("a pod has the name of its host only in a network of its own, and is on no host before it is bound")
	}
}

// Behind a pod that was there when the record began, or came shortly afterwards, one may
// run that was gone by then; not behind one whose kubelet showed that nothing does.
func TestPodOfBeforeTheRecord(t *testing.T) {
	of := func(entry int, seen float64, beginning bool, alone float64) *pod {
		p := &pod{now: record.Pod{UID: string(rune('a' + entry)), Node: "cp-0", Program: wellknown.KCM}, entry: entry, seen: on(seen), beginning: beginning}
		if alone > 0 {
			p.alone = on(alone)
		}
		return p
	}
	for _, test := range []struct {
		name string
		pods []*pod // the last is asked for
		want bool   // at 100 s
	}{
		{"there at the beginning", []*pod{of(1, 0, true, 0)}, true},
		{"and alone", []*pod{of(1, 0, true, 90)}, false},
		{"and alone later", []*pod{of(1, 0, true, 110)}, true},
		{"came soon, and none before", []*pod{of(1, 20, false, 0)}, true},
		{"came later, and none before", []*pod{of(1, 40, false, 0)}, false},
		{"behind one of the beginning", []*pod{of(1, 0, true, 0), of(2, 40, false, 0)}, true},
		{"behind one that was alone", []*pod{of(1, 0, true, 30), of(2, 40, false, 0)}, false},
	} {
		j := New()
		j.podsFrom = on(0)
		for _, p := range test.pods {
			j.pods[p.now.UID], j.podOrder = p, append(j.podOrder, p.now.UID)
		}
		if got := j.unseenBefore(test.pods[len(test.pods)-1], on(100)); got != test.want {
			t.Errorf("%s: %v, wanted %v", test.name, got, test.want)
		}
	}
}

// Where a process may be in more than one container, or behind one, it is in none that is
// told; where it is in one, it is in that.
func TestMoreThanOneContainer(t *testing.T) {
	of := func(uid, id string, started float64) *pod {
		return &pod{now: record.Pod{UID: uid, Program: wellknown.CCM, Node: "cp-0", HostNetwork: true, Started: on(started)}, seen: on(started + 1), runs: []*run{{id: id, started: on(started)}}, alone: on(started + 40)}
	}
	elsewhere, other := of("", "d", 10), of("", "e", 10)
	elsewhere.now.Node, other.now.Program = "cp-1", wellknown.KCM
	behind := of("", "c", 10)
	behind.alone = time.Time{}
	before, after := of("", "b", 40), of("", "c", 60)
	before.runs[0].reported, before.alone, after.alone = on(120), on(90), time.Time{}
	hiding := of("", "c", 10)
	hiding.now.Mirror = true
	for _, test := range []struct {
		name string
		pods []*pod
		want string
	}{
		{"one", []*pod{of("", "c", 10)}, "c"},
		{"one, and others elsewhere", []*pod{of("", "c", 10), elsewhere, other}, "c"},
		{"one that began later", []*pod{of("", "c", 10), of("", "d", 101)}, "c"},
		{"two", []*pod{of("", "c", 10), of("", "d", 20)}, ""},
		{"one behind which something may stand", []*pod{behind}, ""},
		{"one whose forerunner had not ended yet", []*pod{before, after}, ""},
		{"a static one, whose kubelet may hide another", []*pod{hiding}, ""},
		{"none", nil, ""},
	} {
		for _, p := range test.pods {
			for _, r := range p.runs {
				r.pod = p
			}
		}
		j := onNode(test.pods...)
		j.podsFrom, j.hosts.nodes["cp-0"] = on(0), record.Node{Name: "cp-0"}
		j.until, j.kubelets["cp-0"] = on(165), &kubelet{touch: []span{{on(0), on(165)}}} // for long enough since the earliest, not since the latest
		p := &process{identity: "cp-0_a", program: wellknown.CCM}
		l := j.linkOf(p, Bound{Earliest: on(99), Latest: on(101)}, on(100), on(150))
		if got := l.run; (got == nil) != (test.want == "") || got != nil && got.id != test.want || got == nil && l.why == "" {
			t.Errorf("%s: %+v, %s", test.name, got, l.why)
		}
	}
}
