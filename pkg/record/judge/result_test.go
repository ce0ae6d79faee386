package judge

import (
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// A gap decides the verdict, regardless of everything else: only an observed overlap is worse.
func TestVerdictOfWhatWasNotWatched(t *testing.T) {
	clean := func() *script {
		return begun().renewals(2, 40).pod(41, record.Terminated, wellknown.KCM, "cp-0", "k0").ccmLeads(55, 80)
	}
	missed := func(stream record.Stream, from, until float64, lost bool) record.Entry {
		return record.Entry{Missed: &record.Unwatched{Stream: stream, From: on(from), Until: on(until), Lost: lost}}
	}
	for _, test := range []struct {
		name    string
		script  *script
		verdict Verdict
	}{
		{"all of it was", clean(), Single},
		{"leases were not, for a while, and their counts fit", clean().at(30, missed(record.Leases, 20, 30, true)), Single},
		{"pods were not, for a while", clean().at(30, missed(record.Pods, 20, 30, true)), Single},
		{"pods were not, for longer", clean().at(75, missed(record.Pods, 10, 75, true)), NotSeen},
		{"leases are not when the record ends", clean().at(80, missed(record.Leases, 70, never, false)), NotSeen},
		{"Nodes were not, for a while", clean().at(30, missed(record.Nodes, 20, 30, true)), Single},
		{"leases came late", clean().at(30, missed(record.Leases, 20, 30, false)), Single},
		{"pods are not when the record ends", clean().at(80, missed(record.Pods, 70, never, false)), NotSeen},
		{"in an overlap that was seen", begun().renewals(2, 40).ccmLeads(55, 80).at(30, missed(record.Pods, 20, 30, true)).pod(81, record.Terminated, wellknown.KCM, "cp-0", "k0"), Double},
	} {
		if got := test.script.judged().Verdict(); got != test.verdict {
			t.Errorf("%s: %s, wanted %s", test.name, got, test.verdict)
		}
	}
	for _, stream := range []record.Stream{record.Leases, record.Pods} {
		s := &script{}
		for _, e := range clean().all {
			if e.Begun == nil || e.Begun.Stream != stream {
				s.all = append(s.all, e)
			}
		}
		if got := s.judged().Verdict(); got != NotSeen {
			t.Errorf("%s were never watched: %s", stream, got)
		}
	}
	if r := begun().renewals(2, 40).at(50, missed(record.Leases, 40, 50, true)).hold(50, 50, wellknown.MigrationLease, "cp-1_b", 5).judged(); len(r.Unseen) != 1 || len(r.Blind()) != 2 {
		t.Errorf("an unseen process led: %+v", r.Unseen)
	}
}

// A holder of the migration lease that is no known controller manager may be one nevertheless.
func TestHolderThatIsNoProgramOfOurs(t *testing.T) {
	s := begun().renewals(2, 40).pod(41, record.Terminated, wellknown.KCM, "cp-0", "k0")
	for x := 55.0; x < 70; x += 2 {
		s.hold(x, 55, wellknown.MigrationLease, "cp-9_z", 2)
		s.all[len(s.all)-1].Lease.Manager = "manager"
	}
	for x := 90.0; x < 120; x += 2 {
		s.hold(x, 90, wellknown.MigrationLease, "cp-1_b", 3).hold(x+0.1, 0, wellknown.CCMLease, "cp-1_b", 1)
	}
	r := s.judged()
	var who []string
	for _, i := range r.Lanes[0].Intervals {
		if who = append(who, i.Process.Identity); i.Process.Identity == "cp-9_z" && i.Certain {
			t.Errorf("it certainly runs it: %+v", i)
		}
	}
	if len(who) != 3 || r.Verdict() != ByRule {
		t.Errorf("%v ran it: %s", who, r.Verdict())
	}
}

// Programs that elect by other leases are reported, because nothing is known about them.
func TestProgramsThatElectElsewhere(t *testing.T) {
	for _, flag := range []string{"--leader-elect=false", "--leader-elect-resource-name=other", "--leader-elect-resource-namespace=other", "--leader-elect-resource-lock=configmaps"} {
		r := begun().pod(1, record.Running, wellknown.CCM, "cp-0", "c0", flag).judged()
		if !slices.ContainsFunc(r.Notes, func(note string) bool {
			return strings.Contains(note, "aws-cloud-controller-manager-cp-0 elects no leader")
		}) {
			t.Errorf("%s: %q", flag, r.Notes)
		}
	}
	if r := begun().judged(); len(r.Notes) != 0 {
		t.Errorf("%q", r.Notes)
	}
}

// A process may outlive the Node that it ran on.
func TestNodeThatIsGone(t *testing.T) {
	s := begun().renewals(2, 40).pod(41, record.Terminated, wellknown.KCM, "cp-0", "k0").ccmLeads(55, 80)
	s.at(60, record.Entry{Node: &record.Node{Name: "cp-0", UID: "cp-0", Gone: true}})
	if got := s.judged().Verdict(); got != Single {
		t.Errorf("verdict %s", got)
	}
}

// A write to a lease without a renewal does not show that its holder runs.
func TestWriteThatIsNoRenewal(t *testing.T) {
	s := begun().renewals(2, 40).pod(39.5, record.Running, wellknown.KCM, "cp-0", "k0")
	held := *s.all[len(s.all)-2].Lease
	held.ResourceVersion = "annotated"
	s.at(60, record.Entry{Lease: &held}).ccmLeads(75, 90)
	for _, i := range s.judged().Lanes[0].Intervals {
		if i.Process.Identity == "cp-0_a" && i.End.Earliest.After(on(40)) {
			t.Errorf("it ran until %s at least", at(i.End.Earliest))
		}
	}
}
