package judge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// A watch hangs while reads past the cache continue: the writes that they show are unknown, and
// not absent.
func TestWatchThatHangs(t *testing.T) {
	asked := func(s *script, at float64, version string) *script {
		versions := map[string]record.Version{}
		for _, name := range record.LeaseNames() {
			versions[name] = record.Version{Sent: on(at - 0.01), ResourceVersion: s.current[name]}
		}
		versions[wellknown.MigrationLease] = record.Version{Sent: on(at - 0.01), ResourceVersion: version}
		return s.at(at, record.Entry{Checked: &record.Checked{Versions: versions}})
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
		{"the last read shows it, long after the previous one", func(s *script) { asked(s, 45, "new") }, NotSeen},
		{"no read was answered", func(s *script) { s.at(45, record.Entry{Begun: &record.Begun{Stream: record.Nodes}}) }, NotSeen},
		{"it was written, and the watch shows what was before", func(s *script) {
			asked(s, 40.5, "new")
			s.at(41, record.Entry{Lease: &record.Lease{Name: wellknown.MigrationLease, UID: wellknown.MigrationLease, ResourceVersion: "old", Holder: "cp-0_a", Renew: on(41), Transitions: 1, Manager: wellknown.KCM}})
			s.at(44.6, record.Entry{Begun: &record.Begun{Stream: record.Nodes}})
		}, NotSeen},
		{"it was written, and is read again and again", func(s *script) {
			asked(s, 41, current(s))
			for _, x := range []float64{41.5, 42.5, 43.5, 44.5, 45.1} {
				asked(s, x, fmt.Sprint("new", x))
			}
		}, NotSeen},
		{"the last answer took long", func(s *script) {
			s.at(44.2, record.Entry{Checked: &record.Checked{Versions: map[string]record.Version{wellknown.MigrationLease: {Sent: on(40.1), ResourceVersion: current(s)}}}})
		}, NotSeen},
		{"each read is ahead of the watch, which shows it then", func(s *script) {
			for x := 42.0; x < 52; x++ {
				version := fmt.Sprint("new", x)
				asked(s, x, version)
				s.at(x+0.1, record.Entry{Lease: &record.Lease{Name: wellknown.MigrationLease, UID: wellknown.MigrationLease, ResourceVersion: version, Holder: "cp-0_a", Renew: on(x), Transitions: 1, Manager: wellknown.KCM}})
			}
		}, Single},
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

// Under its main lease kube-controller-manager starts its controllers one after another, and one
// of them waits. A process that has held the lease for long has started them all.
func TestStartUnderTheMainLease(t *testing.T) {
	for _, test := range []struct {
		name                   string
		acquired, seen, latest float64
	}{
		{"acquired as it is seen", 20, 20, 35},
		{"acquired a while before", 11, 20, 26},
		{"acquired long before", -600, 20, 21},
		{"acquired at an unknown time", never - 600, 20, 35},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := (&script{}).at(0, record.Entry{Header: &record.Header{Form: record.Form, Name: "demo"}})
			s.at(0, record.Entry{Node: &record.Node{Name: "cp-0", UID: "cp-0"}})
			s.pod(0, record.Running, wellknown.KCM, "cp-0", "k0", "--cloud-provider=aws")
			s.hold(test.seen, test.acquired+600, wellknown.KCMLease, "cp-0_a", 1)
			s.hold(test.seen+2, test.acquired+600, wellknown.KCMLease, "cp-0_a", 1)
			for _, e := range s.all {
				if e.Lease != nil && test.acquired < never/2 {
					e.Lease.Acquire = time.Time{}
				}
			}
			got := s.judged().Lanes[0].Intervals
			if len(got) != 1 || got[0].Start.Latest.Sub(epoch).Seconds() < test.latest-0.1 || got[0].Start.Latest.Sub(epoch).Seconds() > test.latest+0.1 {
				t.Errorf("%+v, wanted started by %v", got, test.latest)
			}
		})
	}
}

// By client-go's rule a process that lost its lease has exited, unless it acquired it again. The
// lease must have been watched for that long. It is cleared at 40 s, after its holder's last
// write at 38.1 s.
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
		{"it stays free, and that is seen", func(s *script) { s.keeps(42, 60, wellknown.KCMLease, "cp-0_a") }, lost - 1.9 + 13},
		{"the record ends before it could not take it again", func(s *script) { s.keeps(42, 48, wellknown.KCMLease, "cp-0_a") }, 0},
		{"it is unwatched, and the record ends", func(s *script) {
			s.keeps(42, 46, wellknown.KCMLease, "cp-0_a").at(60, record.Entry{Begun: &record.Begun{Stream: record.Nodes}})
		}, 0},
		{"another has it after a stretch that was not watched", func(s *script) {
			s.keeps(42, 46, wellknown.KCMLease, "cp-0_a").at(58, away(45, 58)).secondHolder(58, 80)
		}, 58 + 13},
		{"another has it after such a stretch, and the record ends", func(s *script) {
			s.keeps(42, 46, wellknown.KCMLease, "cp-0_a").at(58, away(45, 58)).secondHolder(58, 66)
		}, 0},
		{"another has it after two such stretches", func(s *script) {
			s.keeps(42, 44, wellknown.KCMLease, "cp-0_a").at(50, away(45, 50)).at(70, away(60, 70)).secondHolder(70, 100)
		}, 70 + 13},
		{"not watched since before it lost the lease", func(s *script) {
			s.keeps(42, 46, wellknown.KCMLease, "cp-0_a").at(58, away(39, 58)).secondHolder(58, 80)
		}, 58 + 13},
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

// A gap may hide the holder of a lease: a count that does not fit, a recreated lease, or one
// whose existence is unknown.
func TestHoldersNobodySaw(t *testing.T) {
	of := func(holder string, transitions int, uid string) record.Lease {
		manager := wellknown.KCM
		if strings.HasPrefix(holder, wellknown.Fence) {
			manager = wellknown.FieldManager
		}
		return record.Lease{Name: wellknown.MigrationLease, UID: uid, Holder: holder, Transitions: transitions, Renew: on(float64(transitions)), Manager: manager}
	}
	gone := record.Lease{Name: wellknown.MigrationLease, Gone: true}
	const fence = wellknown.Fence + "run"
	before := of("cp-0_a", 3, "u")
	for _, test := range []struct {
		name        string
		before, now record.Lease
		unseen      bool
		from        float64 // until 40 s
	}{
		{"the same one", before, before, false, 0},
		{"another", before, of("cp-1_b", 4, "u"), false, 0},
		{"another, and one between them", before, of("cp-1_b", 5, "u"), true, 8},
		{"the same one, and another meanwhile", before, of("cp-0_a", 5, "u"), true, 8},
		{"the same one, which took it anew", before, of("cp-0_a", 4, "u"), true, 8},
		{"emptied", before, of("", 3, "u"), false, 0},
		{"emptied behind another", before, of("", 4, "u"), true, 8},
		{"fenced", before, of(fence, 3, "u"), false, 0},
		{"fenced behind another", before, of(fence, 4, "u"), true, 8},
		{"taken from a fence", of(fence, 3, "u"), of("cp-1_b", 4, "u"), false, 0},
		{"a count that went down, and may have gone up since", before, of("cp-1_b", 2, "u"), true, 8},
		{"made anew", before, of("cp-1_b", 4, "v"), true, 8},
		{"deleted", before, gone, true, 8},
		{"made", gone, of("cp-1_b", 0, "u"), true, 20},
		{"not there before and after it", gone, gone, true, 20},
		{"not seen before", record.Lease{}, of("cp-1_b", 4, "u"), true, never},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := New()
			put := func(seconds float64, e record.Entry) { e.At = on(seconds); _ = j.Put(e) }
			asked := func(seconds float64, version string) {
				put(seconds, record.Entry{Checked: &record.Checked{Versions: map[string]record.Version{wellknown.MigrationLease: {Sent: on(seconds - 0.1), ResourceVersion: version}}}})
			}
			lease := func(seconds float64, version string, l record.Lease) {
				if !l.Gone {
					l.ResourceVersion = version
				}
				put(seconds, record.Entry{Lease: &l})
			}
			if test.before.Name != "" {
				lease(0, "1", of("cp-0_a", 2, "u"))
				asked(8.1, "1")
				lease(9, "2", test.before)
				asked(10, map[bool]string{false: "2"}[test.before.Gone])
			}
			if test.before.Gone {
				asked(30, "")
			}
			put(40, record.Entry{Missed: &record.Unwatched{Stream: record.Leases, From: on(20), Until: on(40), Lost: true}})
			lease(40, map[bool]string{true: "2", false: "3"}[test.now == test.before], test.now)
			var want []unseen
			if test.unseen {
				want = []unseen{{lease: wellknown.MigrationLease, from: on(test.from), until: on(40)}}
			}
			if len(j.unseen) != len(want) || len(want) > 0 && (!j.unseen[0].from.Equal(want[0].from) || !j.unseen[0].until.Equal(want[0].until)) {
				t.Errorf("unseen %+v, wanted %+v", j.unseen, want)
			}
		})
	}
}

// A missing lease proves nothing about an unwatched span.
func TestReadOfALeaseThatIsGone(t *testing.T) {
	j := New()
	put := func(seconds float64, e record.Entry) { e.At = on(seconds); _ = j.Put(e) }
	asked := func(seconds float64) {
		put(seconds, record.Entry{Checked: &record.Checked{Versions: map[string]record.Version{"l": {Sent: on(seconds)}}}})
	}
	put(1, record.Entry{Lease: &record.Lease{Name: "l", Gone: true}})
	asked(10)
	put(20, record.Entry{Missed: &record.Unwatched{Stream: record.Leases, From: on(11), Until: on(20), Lost: true}})
	asked(30)
	if got := j.leases["l"].known(); !got.Equal(on(10)) {
		t.Errorf("known until %s", at(got))
	}
}

// If the reads of one lease fail before those of others, its holder is unknown from then on.
func TestSilenceOfOneLease(t *testing.T) {
	s := begun().renewals(2, 80)
	s.at(84, record.Entry{Checked: &record.Checked{Versions: map[string]record.Version{wellknown.CCMLease: {Sent: on(84), ResourceVersion: s.current[wellknown.CCMLease]}}}})
	s.at(90, record.Entry{Begun: &record.Begun{Stream: record.Nodes}})
	r := s.judged()
	froms := map[string]float64{}
	for _, u := range r.Unseen {
		froms[strings.Fields(u.Why)[6]] = u.From.Sub(epoch).Seconds()
	}
	if from := froms[wellknown.MigrationLease+":"]; from < 77 || from > 80 || froms[wellknown.CCMLease+":"] != 84 {
		t.Errorf("unseen from %v: %+v", froms, r.Unseen)
	}
	if gaps := r.Lanes[0].Gaps; len(gaps) != 1 || gaps[0].From.After(on(84)) {
		t.Errorf("who ran when the leases were followed no more? %+v", gaps)
	}
}

// A lease that may be watched but not read is followed by its watch alone.
func TestBehind_leaseNeverRead_isFollowed(t *testing.T) {
	j := New()
	put := func(seconds float64, e record.Entry) { e.At = on(seconds); _ = j.Put(e) }
	put(0, record.Entry{Header: &record.Header{Form: record.Form}})
	for _, name := range record.LeaseNames() {
		put(0, record.Entry{Lease: &record.Lease{Name: name, Gone: true}})
	}
	put(60, record.Entry{Begun: &record.Begun{Stream: record.Nodes}})
	if got := j.behind(); len(got) > 0 {
		t.Errorf("none may be read: %+v", got)
	}
	put(61, record.Entry{Checked: &record.Checked{Versions: map[string]record.Version{wellknown.KCMLease: {Sent: on(61)}}}})
	put(70, record.Entry{Begun: &record.Begun{Stream: record.Services}})
	for _, u := range j.behind() {
		if !u.from.Equal(on(61)) {
			t.Errorf("behind since %s, wanted the last read", at(u.from))
		}
	}
}

// A leader that lost its lease in a gap acquires it again before it has to exit, or never: its
// next acquisition is no beginning.
func TestTakenAgainBehindWhatNobodySaw(t *testing.T) {
	unseenFrom := func(from float64) []unseen {
		return []unseen{{lease: wellknown.MigrationLease, from: on(from), until: on(40)}}
	}
	for _, test := range []struct {
		name   string
		unseen []unseen
		lease  string
		at     float64 // acquired between then and a second later
		want   float64
	}{
		{"nothing was unseen", nil, wellknown.MigrationLease, 50, 50},
		{"before it has to end", unseenFrom(20), wellknown.MigrationLease, 52.9, 20},
		{"when it had ended", unseenFrom(20), wellknown.MigrationLease, 53.1, 53.1},
		{"another lease", unseenFrom(20), wellknown.KCMLease, 50, 50},
		{"long before", unseenFrom(20), wellknown.MigrationLease, 10, 10},
		{"since an unknown time", unseenFrom(never), wellknown.MigrationLease, 50, never},
	} {
		j := New()
		j.unseen = test.unseen
		held := &tenure{first: write{floor: on(test.at), received: on(test.at + 1)}}
		if got := j.acquisition(test.lease, held).Earliest; !got.Equal(on(test.want)) {
			t.Errorf("%s: acquired at %s at the earliest, wanted %s", test.name, at(got), at(on(test.want)))
		}
	}
}

// Receipts, reads and the writers' clocks limit when a lease was acquired.
func TestAcquisition(t *testing.T) {
	first := write{host: "cp-0", stamp: on(30), floor: on(20), received: on(40)}
	for _, test := range []struct {
		name        string
		clock       bool // known to be right
		held        tenure
		early, late float64
	}{
		{"by what was read", false, tenure{first: first}, 20, 40},
		{"by its holder's clock", true, tenure{first: first, acquired: on(29)}, 28.75, 40},
		{"renewed when it was first seen", true, tenure{first: first, acquired: on(29), renewedOnce: true}, 28.75, 30.25},
		{"behind another's write", true, tenure{first: first, before: write{host: "cp-0", stamp: on(25), received: on(26)}}, 24.75, 40},
	} {
		j := New()
		if test.clock {
			for _, x := range []float64{24, 44} {
				w := write{host: "cp-0", stamp: on(x), floor: on(x), received: on(x)}
				j.clocks.learn(w)
				j.clocks.learnRow([]write{w, w, w})
			}
		}
		got := j.acquisition("l", &test.held)
		if !got.Earliest.Equal(on(test.early)) || !got.Latest.Equal(on(test.late)) {
			t.Errorf("%s: %s to %s", test.name, at(got.Earliest), at(got.Latest))
		}
	}
}

// A read shows when a version did not exist yet: the known one, or the previous one.
func TestReadsBoundWrites(t *testing.T) {
	j := New()
	put := func(seconds float64, e record.Entry) { e.At = on(seconds); _ = j.Put(e) }
	lease := func(seconds float64, version, holder string) {
		put(seconds, record.Entry{Lease: &record.Lease{Name: "l", UID: "u", ResourceVersion: version, Holder: holder, Renew: on(seconds - 0.5), Acquire: on(seconds - 0.5), Manager: wellknown.KCM}})
	}
	asked := func(at, sent float64, version string) {
		put(at, record.Entry{Checked: &record.Checked{Versions: map[string]record.Version{"l": {Sent: on(sent), ResourceVersion: version}}}})
	}
	floors := func(what string, first, last float64) {
		t.Helper()
		held := j.processes["cp-0_a"].locks["l"]
		if !held.first.floor.Equal(on(first)) || !held.last.floor.Equal(on(last)) {
			t.Errorf("%s: first not before %s, last not before %s; wanted %v and %v", what, at(held.first.floor), at(held.last.floor), first, last)
		}
	}
	lease(1, "1", "cp-1_b")
	asked(2, 1.9, "1")
	lease(3, "2", "cp-0_a")
	floors("no read since", 1.9, 1.9)
	if j.processes["cp-0_a"].locks["l"].renewedOnce {
		t.Error("its first write is a renewal")
	}
	asked(3.1, 2.6, "1")
	floors("the answer was on its way", 2.6, 2.6)
	asked(3.2, 2.2, "1")
	floors("an older answer", 2.6, 2.6)
	asked(4, 3.9, "2")
	lease(5, "3", "cp-0_a")
	floors("renewed", 2.6, 3.9)
	asked(5.1, 4.4, "2")
	floors("the answer was on its way again", 2.6, 4.4)
	lease(7, "4", "cp-0_a")
	floors("no read since", 2.6, 4.4)
	asked(8, 7.9, "4")
	note := record.Lease{Name: "l", UID: "u", ResourceVersion: "5", Holder: "cp-0_a", Renew: on(6.5), Acquire: on(6.5), Manager: "kubectl"}
	put(9, record.Entry{Lease: &note})
	asked(9.1, 8.8, "4")
	floors("another process wrote", 2.6, 4.4)
}
