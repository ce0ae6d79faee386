package judge

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// A new pod says nothing of the process before it. What does is its kubelet: it renewed its
// Node's lease twice after the start of the new one was seen, and the second time when a
// process could have had its whole grace period since.
func TestAloneByRenewals(t *testing.T) {
	type read struct{ at, since float64 }
	seconds := func(x float64) time.Time { return epoch.Add(time.Duration(x * float64(time.Second))) }
	for _, test := range []struct {
		name    string
		started float64 // of the pod that is seen at 100 s
		reads   []read
		want    float64 // zero: nothing shows it
	}{
		{"no renewal", 0, nil, 0},
		{"one", 0, []read{{110, 108}}, 0},
		{"two", 0, []read{{110, 108}, {120, 118}}, 120},
		{"the first may have been written before it was seen", 0, []read{{101, 99}, {111, 109}}, 0},
		{"nobody knows when the first was written", 0, []read{{101, -1}, {111, 109}}, 0},
		{"a third makes up for it", 0, []read{{101, 99}, {111, 109}, {121, 119}}, 121},
		{"within the grace period", 99, []read{{110, 108}, {120, 118}, {128, 126}}, 0},
		{"behind it", 99, []read{{110, 108}, {120, 118}, {130, 128}}, 130},
		{"the same one twice", 0, []read{{110, 108}, {110, 109}}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := (&script{}).at(0, record.Entry{Header: &record.Header{Form: record.Form}}).pod(100, record.Running, wellknown.KCM, "cp-0", "k0")
			s.all[1].Pod.Containers[0].Started = seconds(test.started - 600)
			j := New()
			for _, r := range test.reads {
				since := seconds(r.since)
				if r.since < 0 {
					since = time.Time{}
				}
				e := renewal("cp-0", seconds(r.at), since)
				e.Renewal.Renew = e.Renewal.Renew.Add(-600 * time.Second) // its clock is behind
				s.all = append(s.all, e)
			}
			for _, e := range s.all {
				_ = j.Put(e) // it never fails
			}
			var got float64
			if p := j.pods[wellknown.KCM+"cp-0"]; !p.alone.IsZero() {
				got = p.alone.Sub(epoch).Seconds()
			}
			if got != test.want {
				t.Errorf("alone at %v, wanted %v", got, test.want)
			}
		})
	}
}

// A kubelet that reaches no API server shows no new pod, and the process in it may lead
// already. That none is hidden shows where the kubelet was in touch for long enough.
func TestPodThatIsNotShown(t *testing.T) {
	until := func(s *script, from, to, but float64) *script {
		for x := from; x <= to; x += 10 {
			if x != but {
				s.all = append(s.all, renewal("cp-0", epoch.Add(time.Duration(x)*time.Second), epoch.Add(time.Duration(x-1)*time.Second)))
			}
		}
		return s
	}
	for _, test := range []struct {
		name      string
		renewals  func(*script) *script
		container string
		certain   bool
	}{
		{"in touch all the time", func(s *script) *script { return until(s, 0, 80, -1) }, "k0", true},
		{"one renewal was not seen", func(s *script) *script { return until(s, 0, 80, 40) }, "k0", true},
		{"not for long", func(s *script) *script { return until(s, 0, 60, -1) }, "", false},
		{"away in between", func(s *script) *script { return until(until(s, 0, 20, -1), 50, 80, -1) }, "", false},
		{"never read", func(s *script) *script { return s }, "", false},
		{"away in between, and its clock was set back", func(s *script) *script {
			until(s, 0, 20, -1)
			before := len(s.all)
			for _, e := range until(s, 50, 110, -1).all[before:] {
				e.Renewal.Renew = e.Renewal.Renew.Add(-20 * time.Second)
			}
			return s
		}, "", false},
		{"pods are not watched any more", func(s *script) *script {
			return until(s, 0, 80, -1).at(80, record.Entry{Missed: &record.Unwatched{Stream: record.Pods, From: on(50), Lost: true}})
		}, "", false},
		{"pods were listed anew", func(s *script) *script {
			return until(s, 0, 80, -1).at(70, record.Entry{Missed: &record.Unwatched{Stream: record.Pods, From: on(50), Until: on(70), Lost: true}})
		}, "k0", true},
		{"a line cannot be read", func(s *script) *script {
			return until(s, 0, 80, -1).at(51, record.Entry{Missed: &record.Unwatched{Stream: record.Pods, From: on(50), Until: on(51), Lost: true, Unreadable: true}})
		}, "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := test.renewals(begun().renewals(2, 80))
			for _, i := range s.alone().Lanes[0].Intervals {
				if i.Process.Identity == "cp-0_a" && (i.Process.Container != test.container || i.Certain != test.certain) {
					t.Errorf("container %q, certain %v: %s", i.Process.Container, i.Certain, i.Why)
				}
			}
		})
	}
}

// Whether a static pod may be hidden is a matter of the time since the lease was acquired,
// in which its kubelet was in touch.
func TestAllShown(t *testing.T) {
	for _, test := range []struct {
		name     string
		touch    []span
		acquired float64
		want     bool
	}{
		{"in touch since before", []span{{on(0), on(100)}}, 35, true},
		{"not for long enough since", []span{{on(0), on(100)}}, 36, false},
		{"in touch only since then", []span{{on(36), on(100)}}, 10, false},
		{"in touch before, and now", []span{{on(0), on(30)}, {on(50), on(100)}}, 20, false},
		{"in touch later, for long enough", []span{{on(0), on(10)}, {on(30), on(95)}}, 20, true},
		{"never", nil, 20, false},
	} {
		j := New()
		j.until = on(100)
		j.kubelets["cp-0"] = &kubelet{touch: test.touch}
		if got := j.allShown("cp-0", on(test.acquired)); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	if New().allShown("cp-0", on(0)) {
		t.Error("a kubelet that nobody read has shown everything")
	}
}

// The grace period of what stood behind a pod is measured by its kubelet's clock, or by the
// recorder's where that one was set.
func TestGraceByAClockThatWasSet(t *testing.T) {
	for _, test := range []struct {
		name string
		set  float64 // at 100 s, ahead
		want float64
	}{
		{"as it was", 0, 131},
		{"set ahead", 30, 141}, // written after 139
	} {
		j := New()
		for x := 61.0; x < 150; x += 10 {
			if x > 100 && j.pods["u"] == nil {
				j.pod(on(101), record.Pod{UID: "u", Program: wellknown.KCM, Node: "cp-0", Containers: []record.Container{{ID: "c", State: record.Running, Started: on(99)}}})
			}
			e := renewal("cp-0", on(x), on(x-2))
			if x > 100 {
				e.Renewal.Renew = e.Renewal.Renew.Add(time.Duration(test.set * float64(time.Second)))
			}
			_ = j.Put(e)
		}
		if got := j.pods["u"].alone; !got.Equal(on(test.want)) {
			t.Errorf("%s: alone at %s, wanted %v", test.name, at(got), test.want)
		}
	}
}

// A renewal says something of the pods of its own Node whose start was seen, and of no other.
func TestRenewalsThatSayNothing(t *testing.T) {
	for name, p := range map[string]record.Pod{
		"of another Node":                    {Node: "cp-1", Containers: []record.Container{{ID: "c", State: record.Running, Started: on(1)}}},
		"of a pod that has not been started": {Node: "cp-0"},
	} {
		j := New()
		p.UID, p.Program = "u", wellknown.KCM
		_ = j.Put(record.Entry{At: on(2), Pod: &p})
		for x := 10.0; x < 100; x += 10 {
			_ = j.Put(renewal("cp-0", on(x), on(x-2)))
		}
		if one := j.pods["u"]; !one.alone.IsZero() || one.renewals != 0 {
			t.Errorf("%s: %+v", name, one)
		}
	}
}
