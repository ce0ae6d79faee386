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
	on := func(s float64) time.Time { return epoch.Add(time.Duration(s * float64(time.Second))) }
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
				p := &record.Pod{Namespace: "kube-system", Name: "kcm-cp-0", UID: uid, Program: wellknown.KCM, Node: "cp-0", Mirror: true, HostNetwork: true, Started: on(started - 600),
					Flags: append([]string{"--cloud-provider=aws"}, flags...), Containers: []record.Container{{ID: id, State: record.Running, Started: on(started - 600)}}}
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
				s.hold(x, 20, wellknown.KCMLease, "cp-0_a", 1).hold(x+0.1, 20, wellknown.MigrationLease, "cp-0_a", 1)
			}
			ended := kcm(41, "new", "k-new", 5, flag)
			ended.Containers[0].State, ended.Containers[0].Finished = record.Terminated, on(41-600)
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
	on := func(s float64) time.Time { return epoch.Add(time.Duration(s * float64(time.Second))) }
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

// Behind a pod that was there when the record began, or came shortly afterwards, one may
// run that was gone by then; not behind one whose kubelet showed that nothing does.
func TestPodOfBeforeTheRecord(t *testing.T) {
	on := func(s float64) time.Time { return epoch.Add(time.Duration(s * float64(time.Second))) }
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
