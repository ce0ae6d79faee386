package judge

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// A watch that hangs says nothing, and reads past the cache go on: what they show to have
// been written is unknown, and not nothing.
func TestWatchThatHangs(t *testing.T) {
	asked := func(s *script, at float64, version string) *script {
		return s.at(at, record.Entry{Checked: &record.Checked{Versions: map[string]record.Version{
			wellknown.MigrationLease: {Sent: epoch.Add(time.Duration((at - 0.01) * float64(time.Second))), ResourceVersion: version}}}})
	}
	current := func(s *script) string { return s.current[wellknown.MigrationLease] }
	for _, test := range []struct {
		name    string
		then    func(s *script)
		verdict Verdict
	}{
		{"nothing was written", func(s *script) { asked(s, 42, current(s)); asked(s, 45, current(s)) }, Single},
		{"it was written, and not shown", func(s *script) { asked(s, 42, "new"); asked(s, 45, "newer") }, NotSeen},
		{"as the record ended", func(s *script) { asked(s, 40, current(s)); asked(s, 42, "new"); asked(s, 43, "newer") }, Single},
		{"the last read shows it, long after the one before", func(s *script) { asked(s, 45, "new") }, NotSeen},
		{"no read was answered", func(s *script) { s.at(45, record.Entry{Begun: &record.Begun{Stream: record.Nodes}}) }, NotSeen},
		{"the watch caught up", func(s *script) { asked(s, 42, "new"); s.renewals(44, 46); asked(s, 46.5, current(s)) }, Single},
		{"an answer of before that came late", func(s *script) { old := current(s); s.renewals(41, 46); asked(s, 46, old); asked(s, 49, current(s)) }, Single},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := begun().renewals(2, 40)
			test.then(s)
			if r := s.judged(); r.Verdict() != test.verdict {
				t.Errorf("verdict %q, wanted %q; unseen %+v", r.Verdict(), test.verdict, r.Unseen)
			}
		})
	}
}

// Under its main lease kube-controller-manager starts its controllers one after another, and
// one of them waits. Who has held it for long when it is first seen has started them.
func TestStartUnderTheMainLease(t *testing.T) {
	for _, test := range []struct {
		name                   string
		acquired, seen, latest float64
	}{
		{"acquired as it is seen", 20, 20, 35},
		{"acquired a while before", 11, 20, 26},
		{"acquired long before", -600, 20, 21},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := (&script{}).at(0, record.Entry{Header: &record.Header{Form: record.Form, Name: "demo"}})
			s.at(0, record.Entry{Node: &record.Node{Name: "cp-0", UID: "cp-0", ControlPlane: true}})
			s.pod(0, record.Running, wellknown.KCM, "cp-0", "k0", "--cloud-provider=aws")
			s.hold(test.seen, test.acquired+600, wellknown.KCMLease, "cp-0_a", 1)
			s.hold(test.seen+2, test.acquired+600, wellknown.KCMLease, "cp-0_a", 1)
			got := s.judged().Lanes[0].Intervals
			if len(got) != 1 || got[0].Start.Latest.Sub(epoch).Seconds() < test.latest-0.1 || got[0].Start.Latest.Sub(epoch).Seconds() > test.latest+0.1 {
				t.Errorf("%+v, wanted started by %v", got, test.latest)
			}
		})
	}
}

// By client-go's rule whoever lost its lease has ended, unless it took it again: that it did
// not has to be seen, for as long as it could. The lease is emptied at 40 s, when its holder
// had written it last at 38.1 s.
func TestEndByRuleIsSeen(t *testing.T) {
	const lost = 40
	away := func(from, until float64) record.Entry {
		return record.Entry{Missed: &record.Unwatched{Stream: record.Leases, From: epoch.Add(time.Duration(from * float64(time.Second))),
			Until: epoch.Add(time.Duration(until * float64(time.Second))), Lost: true}}
	}
	for _, test := range []struct {
		name string
		then func(s *script)
		want float64 // zero: the rule does not say that it ended
	}{
		{"nobody takes it, and that is seen", func(s *script) { s.keeps(42, 60, wellknown.KCMLease, "cp-0_a") }, lost - 1.9 + 13},
		{"the record ends before it could not take it again", func(s *script) { s.keeps(42, 48, wellknown.KCMLease, "cp-0_a") }, 0},
		{"nobody looks, and the record ends", func(s *script) {
			s.keeps(42, 46, wellknown.KCMLease, "cp-0_a").at(60, record.Entry{Begun: &record.Begun{Stream: record.Nodes}})
		}, 0},
		{"another has it after a stretch that was not watched", func(s *script) {
			s.keeps(42, 46, wellknown.KCMLease, "cp-0_a").at(58, away(45, 58)).beside(58, 80)
		}, 58 + 13},
		{"another has it after such a stretch, and the record ends", func(s *script) {
			s.keeps(42, 46, wellknown.KCMLease, "cp-0_a").at(58, away(45, 58)).beside(58, 66)
		}, 0},
		{"not watched when it had long ended", func(s *script) {
			s.keeps(42, 60, wellknown.KCMLease, "cp-0_a").at(70, away(60, 70)).ccmLeads(70, 80)
		}, lost - 1.9 + 13},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := begun().renewals(2, 40).hold(lost, 0, wellknown.MigrationLease, "", 1)
			test.then(s)
			var got float64
			for _, i := range s.judged().Lanes[0].Intervals {
				if i.Process.Identity == "cp-0_a" && !i.ByRule.IsZero() {
					got = i.ByRule.Sub(epoch).Seconds()
				}
			}
			if got != test.want && (got < test.want-0.2 || got > test.want+0.2) {
				t.Errorf("ended by the rule at %v, wanted %v", got, test.want)
			}
		})
	}
}
