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
				s.all = append(s.all, renewal("cp-0", seconds(r.at), since))
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
