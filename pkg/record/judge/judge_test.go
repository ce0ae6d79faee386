package judge

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// script is a record written by hand: seconds since the epoch, with their entries.
type script struct {
	all     []record.Entry
	current map[string]string // versions of leases
}

func (s *script) at(seconds float64, e record.Entry) *script {
	e.At = epoch.Add(time.Duration(seconds * float64(time.Second)))
	s.all = append(s.all, e)
	return s
}

func begun() *script {
	s := (&script{}).at(0, record.Entry{Header: &record.Header{Form: record.Form, Name: "demo"}})
	for _, name := range []string{"cp-0", "cp-1"} {
		s.at(0, record.Entry{Node: &record.Node{Name: name, UID: name}})
	}
	s.pod(0, record.Running, wellknown.KCM, "cp-0", "k0", "--cloud-provider=aws", "--enable-leader-migration=true")
	s.pod(0, record.Running, wellknown.CCM, "cp-1", "c1", "--enable-leader-migration=true")
	s.hold(0, 0, wellknown.KCMLease, "cp-0_a", 1).hold(0, 0, wellknown.MigrationLease, "cp-0_a", 1).hold(0, 0, wellknown.CCMLease, "cp-1_b", 1)
	for _, stream := range []record.Stream{record.Leases, record.Pods} {
		s.at(0, record.Entry{Begun: &record.Begun{Stream: stream}})
	}
	return s
}

// hold adds a version of a lease, as its holder wrote it, and shortly before a read of all
// leases.
func (s *script) hold(seconds, acquired float64, name, holder string, transitions int) *script {
	if s.current == nil {
		s.current = map[string]string{}
	}
	checked := map[string]record.Version{}
	for lease, version := range s.current {
		checked[lease] = record.Version{Sent: epoch.Add(time.Duration((seconds - 0.06) * float64(time.Second))), ResourceVersion: version}
	}
	s.at(seconds-0.05, record.Entry{Checked: &record.Checked{Versions: checked}})
	s.current[name] = fmt.Sprint(len(s.all))
	on := func(x float64) time.Time { return epoch.Add(time.Duration(x * float64(time.Second))) }
	manager := wellknown.KCM
	if len(holder) > 3 && holder[len(holder)-1] == 'b' {
		manager = wellknown.CCM
	}
	return s.at(seconds, record.Entry{Lease: &record.Lease{Name: name, UID: name, ResourceVersion: s.current[name], Holder: holder,
		Seconds: 15, Acquire: on(acquired - 600), Renew: on(seconds - 0.01), Transitions: transitions, Manager: manager}})
}

func (s *script) pod(seconds float64, state record.State, program, node, id string, flags ...string) *script {
	started := epoch.Add(-time.Hour)
	c := record.Container{ID: id, State: state, Started: started}
	if state == record.Terminated {
		c.Finished = epoch.Add(time.Duration(seconds) * time.Second)
	}
	return s.at(seconds, record.Entry{Pod: &record.Pod{Namespace: "kube-system", Name: program + "-" + node, UID: program + node, Program: program, Node: node, Mirror: program == wellknown.KCM,
		HostNetwork: true, Started: started, Image: "x:v1.26.0", Flags: flags, Containers: []record.Container{c}}})
}

// ended makes the kubelet of cp-0 report an end that was earlier by its clock.
func (s *script) ended(seconds, finished float64) *script {
	s.pod(seconds, record.Terminated, wellknown.KCM, "cp-0", "k0")
	s.all[len(s.all)-1].Pod.Containers[0].Finished = epoch.Add(time.Duration(finished) * time.Second)
	return s
}

// judged returns the result of the script.
func (s *script) judged() Result {
	slices.SortStableFunc(s.all, func(a, b record.Entry) int { return a.At.Compare(b.At) })
	j := New()
	for _, e := range s.all {
		_ = j.Put(e) // it never fails
	}
	return j.Result()
}

// renewals adds renewals by the holder of both leases, and by the waiting CCM, every two seconds.
func (s *script) renewals(from, to float64) *script {
	for x := from; x < to; x += 2 {
		s.hold(x, 0, wellknown.CCMLease, "cp-1_b", 1).hold(x+0.05, 0, wellknown.KCMLease, "cp-0_a", 1).hold(x+0.1, 0, wellknown.MigrationLease, "cp-0_a", 1)
	}
	return s
}

// keeps makes a holder renew one lease every two seconds.
func (s *script) keeps(from, to float64, name, holder string) *script {
	for x := from; x < to; x += 2 {
		s.hold(x, 0, name, holder, 1)
	}
	return s
}

// secondHolder lets another process hold the migration lease, while its former holder renews its main
// lease.
func (s *script) secondHolder(from, to float64) *script {
	for x := from; x < to; x += 2 {
		s.hold(x, from, wellknown.MigrationLease, "cp-1_b", 2).hold(x+0.1, 0, wellknown.KCMLease, "cp-0_a", 1)
	}
	return s
}

func (s *script) ccmLeads(from, to float64) *script {
	for x := from; x < to; x += 2 {
		s.hold(x, from, wellknown.MigrationLease, "cp-1_b", 2).hold(x+0.1, 0, wellknown.CCMLease, "cp-1_b", 1)
	}
	return s
}

// fenced makes a run write itself as the holder, while the former holder continues.
func (s *script) fenced(from, to float64) *script {
	s.hold(from, 0, wellknown.MigrationLease, wellknown.Fence+"run", 1)
	s.all[len(s.all)-1].Lease.Manager = wellknown.FieldManager
	for x := from + 1; x < to; x += 2 {
		s.hold(x, 0, wellknown.KCMLease, "cp-0_a", 1)
	}
	return s
}

// cleared makes a run remove the fence.
func (s *script) cleared(at float64) *script {
	s.hold(at, 0, wellknown.MigrationLease, "", 1)
	s.all[len(s.all)-1].Lease.Manager = wellknown.FieldManager
	return s
}

func TestOverlaps(t *testing.T) {
	ended := record.Unwatched{Stream: record.Leases, From: epoch.Add(40 * time.Second), Until: epoch.Add(41 * time.Second), Lost: true}
	resumed := ended
	resumed.Lost = false
	for _, test := range []struct {
		name    string
		script  *script
		kind    Kind
		frozen  bool
		verdict Verdict
	}{
		{"the container ended first", begun().renewals(2, 40).pod(41, record.Terminated, wellknown.KCM, "cp-0", "k0").
			ccmLeads(55, 80), Excluded, false, Single},
		{"its container ended late", begun().renewals(2, 40).ccmLeads(55, 80).pod(81, record.Terminated, wellknown.KCM, "cp-0", "k0"), Seen, false, Double},
		{"its end is reported late, and was early by its host's clock", begun().renewals(2, 40).ccmLeads(55, 80).ended(81, 41), Possible, true, ByRule},
		{"nothing shows an end", begun().renewals(2, 40).ccmLeads(55, 80), Possible, true, ByRule},
		{"too early for the renew deadline", begun().renewals(2, 40).ccmLeads(45, 80), Possible, false, CannotSay},
		{"its main lease is renewed next to the successor", begun().renewals(2, 40).ccmLeads(41, 50).hold(52, 0, wellknown.KCMLease, "cp-0_a", 1).ccmLeads(53, 72), Seen, false, Double},
		{"fenced, and its container ended first", begun().renewals(2, 40).fenced(40, 50).pod(51, record.Terminated, wellknown.KCM, "cp-0", "k0").
			ccmLeads(55, 80), Excluded, false, Single},
		{"fenced, and nothing shows an end", begun().renewals(2, 40).fenced(40, 50).ccmLeads(63, 80), Possible, true, ByRule},
		{"fenced, and cleared once its container ended", begun().renewals(2, 40).fenced(40, 50).pod(51, record.Terminated, wellknown.KCM, "cp-0", "k0").
			cleared(51.1).ccmLeads(51.6, 80), Excluded, false, Single},
		{"fenced, and cleared before anything shows an end", begun().renewals(2, 40).fenced(40, 44).cleared(45).ccmLeads(45.5, 80), Possible, false, CannotSay},
		{"cleared, and its container ended late", begun().renewals(2, 40).fenced(40, 44).cleared(45).ccmLeads(45.5, 80).pod(81, record.Terminated, wellknown.KCM, "cp-0", "k0"), Seen, false, Double},
		{"not watched in between", begun().renewals(2, 40).pod(39.9, record.Terminated, wellknown.KCM, "cp-0", "k0").at(41, record.Entry{Missed: &ended}).ccmLeads(55, 80), Excluded, false, Single},
		{"resumed where it broke off", begun().renewals(2, 40).pod(41, record.Terminated, wellknown.KCM, "cp-0", "k0").at(41, record.Entry{Missed: &resumed}).
			ccmLeads(55, 80), Excluded, false, Single},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := test.script.judged()
			found := r.Lanes[0].Overlaps
			if test.verdict != NotSeen && (len(found) != 1 || found[0].Kind != test.kind || found[0].OnlyIfFrozen != test.frozen) {
				t.Errorf("overlaps %+v, wanted one that is %s", found, test.kind)
			}
			if got := r.Verdict(); got != test.verdict {
				t.Errorf("verdict %s, wanted %s", got, test.verdict)
			}
			if len(r.Lanes[1].Intervals) != 0 {
				t.Errorf("routes are off, and a process runs them: %+v", r.Lanes[1].Intervals)
			}
		})
	}
}

func TestRoles(t *testing.T) {
	of := func(program, image string, flags ...string) record.Pod {
		return record.Pod{Program: program, Image: image, Flags: flags}
	}
	const flag = "--enable-leader-migration=true"
	for _, test := range []struct {
		name       string
		pod        record.Pod
		controller string
		want       role
	}{
		{"in-tree", of(wellknown.KCM, "", "--cloud-provider=aws"), Service, role{main: true}},
		{"without a provider", of(wellknown.KCM, ""), Service, role{never: true}},
		{"of another provider", of(wellknown.KCM, "", "--cloud-provider=gce"), Service, role{never: true}},
		{"a flag that cannot be read", of(wellknown.CCM, "x:v1.26.0", "--enable-leader-migration=what"), Service, role{main: true, migration: true, never: true}},
		{"routes by flags that cannot be read", of(wellknown.CCM, "x:v1.26.0", "--allocate-node-cidrs=what"), Route, role{main: true}},
		{"in-tree with the flag", of(wellknown.KCM, "", "--cloud-provider=aws", flag), Service, role{migration: true}},
		{"external with the flag competes and runs nothing", of(wellknown.KCM, "", "--cloud-provider=external", flag), Service, role{never: true}},
		{"CCM", of(wellknown.CCM, "x:v1.26.0", "--cloud-provider=aws"), Service, role{main: true}},
		{"CCM with the flag", of(wellknown.CCM, "x:v1.26.0", flag), Lifecycle, role{migration: true}},
		{"a new CCM whose names the default does not list", of(wellknown.CCM, "x:v1.28.1", flag), Service, role{main: true}},
		{"with a file", of(wellknown.CCM, "x:v1.28.1", flag, "--leader-migration-config=/f"), Service, role{main: true, migration: true}},
		{"with the file of awsmigrate's chart", record.Pod{Program: wellknown.CCM, Image: "x:v1.28.1", MigrationFile: wellknown.MigrationFileDigest,
			Flags: []string{flag, "--leader-migration-config=" + wellknown.MigrationFilePath}}, Service, role{migration: true}},
		{"its note with another file", record.Pod{Program: wellknown.CCM, Image: "x:v1.28.1", MigrationFile: wellknown.MigrationFileDigest,
			Flags: []string{flag, "--leader-migration-config=/f"}}, Service, role{main: true, migration: true}},
		{"another note", record.Pod{Program: wellknown.CCM, Image: "x:v1.28.1", MigrationFile: "x",
			Flags: []string{flag, "--leader-migration-config=" + wellknown.MigrationFilePath}}, Service, role{main: true, migration: true}},
		{"routes need allocated ranges", of(wellknown.CCM, "x:v1.26.0", flag), Route, role{never: true}},
		{"routes", of(wellknown.CCM, "x:v1.26.0", flag, "--allocate-node-cidrs=true"), Route, role{migration: true}},
		{"routes off", of(wellknown.CCM, "x:v1.26.0", flag, "--allocate-node-cidrs=true", "--configure-cloud-routes=false"), Route, role{never: true}},
		{"switched off by name", of(wellknown.CCM, "x:v1.26.0", flag, "--controllers=*,-service"), Service, role{never: true}},
		{"switched off by the new name", of(wellknown.CCM, "x:v1.28.1", "--controllers=*,-service-lb-controller"), Service, role{never: true}},
		{"not among those named", of(wellknown.KCM, "", "--cloud-provider=aws", "--controllers=route"), Service, role{never: true}},
		{"frozen arguments", record.Pod{Program: wellknown.KCM, Flags: []string{"--cloud-provider=aws"}, Frozen: "fixed UID"}, Service, role{main: true, migration: true, never: true}},
	} {
		if got := roleOf(test.pod, test.controller, false); got != test.want {
			t.Errorf("%s: %+v, wanted %+v", test.name, got, test.want)
		}
	}
	frozen := record.Pod{Program: wellknown.KCM, Flags: []string{"--cloud-provider=aws"}, Frozen: "fixed UID"}
	if got := roleOf(frozen, Service, true); got != (role{migration: true, never: true}) {
		t.Errorf("frozen arguments of who took the migration lease: %+v", got)
	}
}

// A kubelet that cannot find a container invents an end: it proves nothing.
func TestInventedEnds(t *testing.T) {
	whole := record.Container{ID: "a", State: record.Terminated, Finished: epoch}
	for name, c := range map[string]record.Container{
		"without an ID":       {State: record.Terminated, Finished: epoch},
		"without a time":      {ID: "a", State: record.Terminated},
		"by its reason":       {ID: "a", State: record.Terminated, Finished: epoch, Reason: "ContainerStatusUnknown"},
		"of one that runs":    {ID: "a", State: record.Running, Finished: epoch},
		"of one that waits":   {ID: "a", State: record.Waiting},
		"of a kind not known": {ID: "a", State: "other", Finished: epoch},
	} {
		if c.Ended() {
			t.Errorf("an end %s proves something", name)
		}
	}
	if !whole.Ended() {
		t.Error("a reported end proves nothing")
	}
}

// on returns a time of a script; never is the zero time.
func on(seconds float64) time.Time {
	if seconds == never {
		return time.Time{}
	}
	return epoch.Add(time.Duration(seconds * float64(time.Second)))
}

const never = -1e6

// The bounds of a clock limit its stamps; a clock that contradicts itself is not used.
func TestClocks(t *testing.T) {
	c := clocks{}
	var row []write
	for s := range 20 {
		now := epoch.Add(time.Duration(s) * time.Second)
		row = append(row, write{host: "a", stamp: now.Add(10*time.Second - 20*time.Millisecond), floor: now.Add(-100 * time.Millisecond), received: now})
	}
	row[7].stamp, row[8].stamp = row[7].stamp.Add(-800*time.Millisecond), row[8].stamp.Add(-time.Second) // committed late
	for i, w := range row {
		c.learn(w)
		c.learnRow(row[max(0, i+1-inRow) : i+1])
	}
	early, late, ok := c.local("a", epoch.Add(15*time.Second), epoch.Add(6*time.Second))
	if !ok || early.After(epoch.Add(5*time.Second)) || late.Before(epoch.Add(5*time.Second)) || late.Sub(early) > 700*time.Millisecond {
		t.Errorf("%s to %s, %v", early, late, ok)
	}
	for name, stamp := range map[string]time.Time{"no stamp": {}, "of long before": epoch.Add(-10 * time.Minute), "of after its receipt": epoch.Add(20 * time.Second)} {
		if _, _, ok := c.local("a", stamp, epoch.Add(6*time.Second)); ok {
			t.Errorf("%s is believed", name)
		}
	}
	c.learn(write{host: "a", stamp: epoch.Add(50 * time.Second), received: epoch.Add(25 * time.Second)})
	if _, _, ok := c.local("a", epoch.Add(15*time.Second), epoch.Add(6*time.Second)); ok {
		t.Error("a clock that was set is still believed")
	}
	c.learn(write{host: "b", stamp: epoch, received: epoch})
	c.learnRow([]write{{host: "b", stamp: epoch, floor: epoch, received: epoch}, {host: "b", stamp: epoch, floor: epoch, received: epoch}})
	for _, host := range []string{"b", "c"} {
		if _, _, ok := c.local(host, epoch, epoch); ok {
			t.Errorf("the clock of %s is believed", host)
		}
	}
}
