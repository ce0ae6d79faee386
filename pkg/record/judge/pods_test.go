package judge

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// A static pod was replaced shortly before its process acquired the migration lease, and no
// kubelet reported the end of the previous one. A process that led briefly may be either of the
// two; one that led for longer is the new one.
func TestProcessBehindAReplacedPod(t *testing.T) {
	const flag = "--enable-leader-migration=true"
	for _, test := range []struct {
		name  string
		until float64 // it wrote leases from 20 s on
		kind  Kind
	}{
		{"it led for long", 70, Excluded},
		{"it led for a moment", 40, Possible},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := (&script{}).at(0, record.Entry{Header: &record.Header{Form: record.Form, Name: "demo"}})
			s.at(0, record.Entry{Node: &record.Node{Name: "cp-0", UID: "cp-0"}})
			s.at(0, record.Entry{Node: &record.Node{Name: "cp-1", UID: "cp-1"}})
			kcm := func(at float64, uid, id string, started float64) *record.Pod {
				p := &record.Pod{Namespace: "kube-system", Name: "kcm-cp-0", UID: uid, Program: wellknown.KCM, Node: "cp-0", Mirror: true, HostNetwork: true, Started: on(started),
					Flags: []string{"--cloud-provider=aws", flag}, Containers: []record.Container{{ID: id, State: record.Running, Started: on(started)}}}
				s.at(at, record.Entry{Pod: p})
				return p
			}
			kcm(0, "old", "k-old", -600)
			s.pod(0, record.Running, wellknown.CCM, "cp-1", "c1", flag)
			s.hold(0, 0, wellknown.CCMLease, "cp-1_b", 1)
			for _, stream := range []record.Stream{record.Leases, record.Pods} {
				s.at(0, record.Entry{Begun: &record.Begun{Stream: stream}})
			}
			kcm(5, "old", "k-old", -600).Gone = true
			kcm(5, "new", "k-new", 5)
			for x := 20.0; x < test.until; x += 2 {
				s.hold(x, 620, wellknown.KCMLease, "cp-0_a", 1).hold(x+0.1, 620, wellknown.MigrationLease, "cp-0_a", 1)
			}
			ended := kcm(test.until+1, "new", "k-new", 5)
			ended.Containers[0].State, ended.Containers[0].Finished = record.Terminated, on(test.until+1)
			s.ccmLeads(test.until+15, test.until+60)
			found := s.judged().Lanes[0].Overlaps
			if len(found) != 1 || found[0].Kind != test.kind {
				t.Errorf("overlaps %+v, wanted one that is %s", found, test.kind)
			}
		})
	}
}

// A kubelet that was away reports the last containers of a pod, and not the previous ones. One of
// those may hold a process that acquired its lease before the first reported container began.
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
		{"acquired at an unknown time", on(0), shown(2), time.Time{}, on(35), 2},
	} {
		p := &pod{now: record.Pod{Started: test.podStarted}, runs: test.runs}
		if got := p.within(life{stamp: test.acquired, alive: test.alive}); len(got) != test.want {
			t.Errorf("%s: %d fit, wanted %d", test.name, len(got), test.want)
		}
	}
}

// A container holds a process only if it ran when the process acquired its lease and wrote, by
// receipt, and by the clock that both share.
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
		{"began later, acquired at an unknown time", []*run{shown(never, 21, never, 0)}, 20, never, 30, 1},
		{"ended since", []*run{shown(40, 10, 39, 0)}, 20, 20, 30, 1},
		{"its end was told before it can have been acquired", []*run{shown(19, 10, 18, 0)}, 20, never, never, 0},
		{"its end was told before it wrote", []*run{shown(29, 10, 28, 0)}, 20, 20, 30, 0},
		{"its end was told late", []*run{shown(40, 10, 15, 0)}, 14, 20, 30, 0},
		{"in the second of its end", []*run{shown(40, 10, 19, 0)}, 14, 19.5, 30, 1},
		{"a late end, acquired at an unknown time", []*run{shown(40, 10, 15, 0)}, 14, never, 30, 1},
		{"two behind each other", []*run{shown(never, 10, never, 3), shown(never, 15, never, 4)}, 20, 20, 30, 2},
		{"and an unseen one between them", []*run{shown(never, 10, never, 3), shown(never, 15, never, 5)}, 20, 20, 30, 3},
	} {
		p := &pod{runs: test.runs}
		if got := p.within(life{acquired: Bound{Earliest: on(test.earliest)}, stamp: on(test.acquired), alive: on(test.alive)}); len(got) != test.want {
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
		j.pods[p.now.UID], j.podOrder = p, append(j.podOrder, p.now.UID)
		key := [2]string{p.now.Program, p.now.Node}
		j.onNode[key] = append(j.onNode[key], p.now.UID)
	}
	return j
}

// A pod is excluded if another replaced it long enough before a process wrote: a static pod by
// its namesake, any other by one that began after its deletion.
func TestSuperseded(t *testing.T) {
	static := func(name string, seen, started float64) *pod {
		return &pod{now: record.Pod{Namespace: "kube-system", Name: name, Mirror: true}, seen: on(seen), runs: []*run{{started: on(started)}}}
	}
	plain := func(seen, gone, started float64) *pod {
		return &pod{now: record.Pod{Namespace: "kube-system", Name: "p"}, seen: on(seen), gone: on(gone), runs: []*run{{started: on(started)}}}
	}
	elsewhere, other, empty := static("k", 11, 10), static("k", 11, 10), static("k", 11, 10)
	elsewhere.now.Node, other.now.Program, empty.runs = "cp-1", wellknown.CCM, nil
	for _, test := range []struct {
		name string
		pods []*pod // the first is asked for
		want bool   // of a process that wrote at 60 s
	}{
		{"alone", []*pod{static("k", 1, 0)}, false},
		{"another static pod of its name", []*pod{static("k", 1, 0), static("k", 11, 10)}, true},
		{"which began only now", []*pod{static("k", 1, 0), static("k", 17, 16)}, false},
		{"which shows no container", []*pod{static("k", 1, 0), empty}, false},
		{"of another name", []*pod{static("k", 1, 0), static("l", 11, 10)}, false},
		{"on another Node", []*pod{static("k", 1, 0), elsewhere}, false},
		{"of another program", []*pod{static("k", 1, 0), other}, false},
		{"it was gone when another came", []*pod{plain(1, 10, 0), plain(11, never, 10)}, true},
		{"it went later", []*pod{plain(1, 12, 0), plain(11, never, 10)}, false},
		{"it is there", []*pod{plain(1, never, 0), plain(11, never, 10)}, false},
	} {
		if got := onNode(test.pods...).superseded(test.pods[0], life{wrote: on(60)}); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	earlier, later := static("k", 1, 0), static("k", 11, 10)
	if onNode(earlier, later).superseded(later, life{wrote: on(60)}) {
		t.Error("a pod is superseded by one before it")
	}
}

// If a pod existed when the watch of pods began, or soon afterwards, a deleted one may have
// preceded it.
func TestPodOfBeforeTheRecord(t *testing.T) {
	for _, test := range []struct {
		name   string
		at     float64
		missed record.Unwatched
		want   bool
	}{
		{"before all were listed", 0.5, record.Unwatched{}, true},
		{"soon", 40, record.Unwatched{}, true},
		{"later", 50, record.Unwatched{}, false},
		{"listed anew as it was seen", 50, record.Unwatched{Stream: record.Pods, From: on(45), Until: on(50), Lost: true}, true},
		{"listed anew right before", 50, record.Unwatched{Stream: record.Pods, From: on(45), Until: on(49.5), Lost: true}, true},
		{"listed anew long before", 50, record.Unwatched{Stream: record.Pods, From: on(30), Until: on(40), Lost: true}, false},
		{"nothing was lost", 50, record.Unwatched{Stream: record.Pods, From: on(40), Until: on(50)}, false},
		{"leases were", 50, record.Unwatched{Stream: record.Leases, From: on(40), Until: on(50), Lost: true}, false},
		{"a line before it cannot be read", 50, record.Unwatched{Stream: record.Pods, From: on(30), Until: on(31), Lost: true, Unreadable: true}, true},
	} {
		j := New()
		if test.at > 1 {
			_ = j.Put(record.Entry{At: on(1), Begun: &record.Begun{Stream: record.Pods}})
		}
		if test.missed.Stream != "" {
			_ = j.Put(record.Entry{At: test.missed.Until, Missed: &test.missed})
		}
		_ = j.Put(record.Entry{At: on(test.at), Pod: &record.Pod{UID: "u", Program: wellknown.KCM}})
		if got := j.pods["u"].beginning; got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// A later report without a container does not remove it, and the first report of an end counts.
func TestReportsOfAPod(t *testing.T) {
	j := New()
	of := func(seconds float64, p record.Pod) *pod {
		p.UID, p.Program = "u", wellknown.CCM
		j.pod(on(seconds), p)
		return j.pods["u"]
	}
	of(1, record.Pod{Flags: []string{"--cloud-provider=aws"}})
	p := of(2, record.Pod{Node: "cp-0", Containers: []record.Container{{State: record.Waiting}}})
	if len(p.runs) != 0 {
		t.Errorf("a container that waits was shown: %+v", p)
	}
	of(3, record.Pod{Node: "cp-0", Containers: []record.Container{{ID: "c", State: record.Running, Started: on(2)}}})
	of(4, record.Pod{Containers: []record.Container{{ID: "c", State: record.Terminated, Reason: "ContainerStatusUnknown", Finished: on(4)}}})
	if !p.runs[0].reported.IsZero() || !p.runs[0].started.Equal(on(2)) {
		t.Errorf("an invented end counts: %+v", p.runs[0])
	}
	of(5, record.Pod{Gone: true, Containers: []record.Container{{ID: "c", State: record.Terminated, Finished: on(5)}}})
	of(6, record.Pod{Gone: true, Containers: []record.Container{{ID: "c", State: record.Terminated, Finished: on(6)}}})
	if !p.runs[0].reported.Equal(on(5)) || !p.runs[0].finished.Equal(on(5)) || !p.gone.Equal(on(5)) {
		t.Errorf("the first report does not count: %+v, gone at %s", p.runs[0], p.gone)
	}
	if p.now.Node != "cp-0" || len(p.now.Flags) != 1 {
		t.Errorf("what was shown is lost: %+v", p.now)
	}
	if got := j.onNode[[2]string{wellknown.CCM, "cp-0"}]; len(got) != 1 {
		t.Errorf("on its Node are %v", got)
	}
}

// A pod's host is its Node's; with a pod network its host has its name.
func TestPodsOfAHost(t *testing.T) {
	j := New()
	for _, p := range []record.Pod{{UID: "a", Name: "p", Node: "cp-0", HostNetwork: true}, {UID: "b", Name: "q"}, {UID: "c", Name: "r", Node: "cp-1"}} {
		p.Program = wellknown.CCM
		j.pod(epoch, p)
	}
	for host, want := range map[string]string{"cp-0": "a", "p": "", "q": "b", "r": "c", "": ""} {
		got := ""
		for _, one := range j.podsOf(&process{identity: host + "_x", program: wellknown.CCM}) {
			got += one.now.UID
		}
		if got != want {
			t.Errorf("on host %q: %q, wanted %q", host, got, want)
		}
	}
}

// If a process may be in several containers, or in an unreported one, its container is unknown;
// otherwise it is in the only one.
func TestMoreThanOneContainer(t *testing.T) {
	of := func(id string, started float64) *pod {
		return &pod{now: record.Pod{Program: wellknown.CCM, HostNetwork: true, Started: on(started)}, seen: on(started + 1), runs: []*run{{id: id, started: on(started)}}}
	}
	elsewhere, other := of("d", 10), of("e", 10)
	elsewhere.now.Node, other.now.Program = "cp-1", wellknown.KCM
	first := func(started float64) *pod {
		p := of("c", started)
		p.beginning = true
		return p
	}
	static := of("c", 10)
	static.now.Mirror = true
	unflagged, flagged := of("c", 10), of("d", 20)
	flagged.now.Flags = []string{"--enable-leader-migration=true"}
	for _, test := range []struct {
		name  string
		pods  []*pod
		wrote float64
		want  string
	}{
		{"one", []*pod{of("c", 10)}, 101, "c"},
		{"one, and others elsewhere", []*pod{of("c", 10), elsewhere, other}, 101, "c"},
		{"one that began later", []*pod{of("c", 10), of("d", 101)}, 101, "c"},
		{"two", []*pod{of("c", 10), of("d", 20)}, 101, ""},
		{"one with a possible predecessor", []*pod{first(70)}, 101, ""},
		{"one that no longer has a predecessor", []*pod{first(70)}, 116, "c"},
		{"a static one, whose kubelet may hide another", []*pod{static}, 144, ""},
		{"a static one whose kubelet no longer hides one", []*pod{static}, 146, "c"},
		{"none", nil, 101, ""},
		{"two, of which one has not the flag", []*pod{unflagged, flagged}, 101, "d"},
	} {
		for _, p := range test.pods {
			for _, r := range p.runs {
				r.pod = p
			}
		}
		j := onNode(test.pods...)
		j.hosts.node(record.Node{Name: "cp-0"})
		p := &process{identity: "cp-0_a", program: wellknown.CCM, locks: map[string]*tenure{}}
		if test.want == "d" {
			p.locks[wellknown.MigrationLease] = &tenure{}
		}
		l := j.linkOf(p, life{acquired: Bound{Earliest: on(99), Latest: on(101)}, stamp: on(100), wrote: on(test.wrote), alive: on(test.wrote)})
		if got := l.run; (got == nil) != (test.want == "") || got != nil && got.id != test.want || got == nil && l.why == "" {
			t.Errorf("%s: %+v, %s", test.name, got, l.why)
		}
	}
}
