package judge

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// clocked returns a Judge that knows a host's clock to a tenth of a second.
func clocked(host string) *Judge {
	j := New()
	for x := 0.0; x < 100; x += 10 {
		w := write{host: host, stamp: on(x), floor: on(x - 0.1), received: on(x + 0.1)}
		j.clocks.learn(w)
		j.clocks.learnRow([]write{w, w, w})
	}
	return j
}

// A process certainly ran at its last write, by its clock. Without that, the time of the previous
// receipt counts: a write may arrive late.
func TestAlive(t *testing.T) {
	p := &process{identity: "cp-0_a", locks: map[string]*tenure{
		"l": {last: write{host: "cp-0", stamp: on(50), floor: on(45), received: on(60)}},
		"m": {last: write{host: "cp-0", stamp: on(30), floor: on(29), received: on(31)}},
	}}
	if got := clocked("cp-0").alive(p); !got.Equal(on(49.65)) {
		t.Errorf("by its clock alive at %s", at(got))
	}
	if got := New().alive(p); !got.Equal(on(45)) {
		t.Errorf("without a clock alive at %s", at(got))
	}
}

// A process had ended when its kubelet's report was received, and not earlier: the machine's
// clock only limits until when it ran.
func TestEnds(t *testing.T) {
	for _, test := range []struct {
		name               string
		clock              bool
		wrote              float64
		finished, reported float64
		early, late        float64
		source             string
	}{
		{"nothing is reported", true, 30, never, never, 29.65, never, "lease"},
		{"by its clock", true, 30, 40, 60, 39.65, 60, "kubelet"},
		{"by an unknown clock", false, 30, 40, 60, 25, 60, "kubelet"},
		{"reported at once", true, 30, 40, 40.2, 39.65, 40.2, "kubelet"},
		{"its end is before its last write", true, 50, 40, 60, 49.65, 60, "kubelet"},
		{"its end is behind its report", true, 30, 63, 60, 29.65, 60, "kubelet"},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := New()
			if test.clock {
				j = clocked("cp-0")
			}
			p := &process{identity: "cp-0_a", locks: map[string]*tenure{"l": {last: write{host: "cp-0", stamp: on(test.wrote), floor: on(test.wrote - 5), received: on(test.wrote + 1)}}}}
			got, _ := j.ends(p, &run{finished: on(test.finished), reported: on(test.reported)}, j.alive(p))
			if !got.Earliest.Equal(on(test.early)) || !got.Latest.Equal(on(test.late)) || got.Source != test.source {
				t.Errorf("%s to %s by %s", at(got.Earliest), at(got.Latest), got.Source)
			}
		})
	}
	if got, _ := clocked("cp-0").ends(&process{identity: "cp-0_a"}, nil, epoch); !got.Latest.IsZero() {
		t.Errorf("in no container, and ended at %s", at(got.Latest))
	}
}

// Client-go's rule uses the longest election timing that a process may have.
func TestTimings(t *testing.T) {
	elects := func(uid, deadline, retry string) record.Pod {
		return record.Pod{UID: uid, Program: wellknown.KCM, Flags: []string{"--leader-elect-lease-duration=90s", "--leader-elect-renew-deadline=" + deadline, "--leader-elect-retry-period=" + retry}}
	}
	short, long, slow := elects("a", "8s", "1s"), elects("b", "40s", "3s"), elects("c", "9s", "7s")
	frozen := long
	frozen.Frozen = "fixed UID"
	of := func(deadline, retry time.Duration) timing { return timing{deadline * time.Second, retry * time.Second} }
	j := New()
	for _, p := range []record.Pod{short, long, slow} {
		j.pod(epoch, p)
	}
	seen := j.longest
	if seen != of(40, 7) {
		t.Errorf("any program elects by %v", seen)
	}
	for _, test := range []struct {
		name string
		link link
		want timing
	}{
		{"its own", link{pods: []record.Pod{short}}, of(8, 1)},
		{"its own is unknown", link{}, of(40, 7)},
		{"one of an unseen pod", link{pods: []record.Pod{short}, open: true}, of(40, 7)},
		{"one of two", link{pods: []record.Pod{short, slow}}, of(9, 7)},
		{"arguments that may not be in force", link{pods: []record.Pod{frozen}}, defaults()},
	} {
		if got := test.link.timing(seen); got != test.want {
			t.Errorf("%s: %v, wanted %v", test.name, got, test.want)
		}
	}
	if got := of(10, 2).gone(); got != 13*time.Second {
		t.Errorf("gone after %s", got)
	}
}

// A process that may be in several pods, or in an unreported one, may have the arguments of each.
// The mode in a run's record decides.
func TestRoleOfAProcess(t *testing.T) {
	const flag = "--enable-leader-migration=true"
	inTree, external := record.Pod{Program: wellknown.KCM, Flags: []string{"--cloud-provider=aws", flag}}, record.Pod{Program: wellknown.KCM, Flags: []string{"--cloud-provider=external", flag}}
	unreadable := record.Pod{Program: wellknown.KCM, Flags: []string{"--cloud-provider=aws"}, Frozen: "fixed UID"}
	flagged, plain := &process{program: wellknown.KCM, locks: map[string]*tenure{wellknown.MigrationLease: {}}}, &process{program: wellknown.KCM}
	for _, test := range []struct {
		name string
		who  *process
		link link
		mode record.Mode
		want role
	}{
		{"its own", flagged, link{pods: []record.Pod{inTree}}, "", role{migration: true}},
		{"one of two", flagged, link{pods: []record.Pod{inTree, external}}, "", role{migration: true, never: true}},
		{"or an unseen one", flagged, link{pods: []record.Pod{external}, open: true}, "", role{migration: true, never: true}},
		{"in no pod", flagged, link{}, "", role{migration: true, never: true}},
		{"in no pod, and without the flag as far as is seen", plain, link{}, "", role{main: true, migration: true, never: true}},
		{"no controller manager that is known", &process{locks: flagged.locks}, link{}, "", role{migration: true, never: true}},

		{"one of two, by its mode", flagged, link{pods: []record.Pod{inTree, external}}, record.Migrating, role{migration: true}},
		{"the other of two, by its mode", plain, link{pods: []record.Pod{inTree, external}, open: true}, record.External, role{never: true}},
		{"an unseen one, and its mode", plain, link{pods: []record.Pod{inTree}, open: true}, record.External, role{never: true}},
		{"in no pod, and external", plain, link{}, record.External, role{never: true}},
		{"in no pod, and in-tree", plain, link{}, record.InTree, role{main: true, never: true}},
		{"in no pod, and with the flag", plain, link{}, record.Migrating, role{migration: true, never: true}},
		{"of arguments that may not be in force", plain, link{pods: []record.Pod{unreadable}}, record.InTree, role{main: true, never: true}},
	} {
		if got := (known{process: test.who, link: test.link, mode: test.mode}).role(Service); got != test.want {
			t.Errorf("%s: %+v, wanted %+v", test.name, got, test.want)
		}
	}
}

// A recorded mode holds until a step changes it, for each process that certainly ran then.
func TestModeOfAProcess(t *testing.T) {
	j := New()
	for _, said := range []struct {
		at   float64
		mode record.Mode
	}{{10, record.InTree}, {20, record.Changing}, {30, record.Migrating}, {31, ""}, {40, record.Changing}, {50, record.External}} {
		_ = j.Put(record.Entry{At: on(said.at), Step: &record.Step{Run: "r", ID: "s", Mode: said.mode}})
	}
	for _, test := range []struct {
		from, to float64
		want     record.Mode
	}{
		{0, 9, ""}, {0, 10, record.InTree}, {15, 16, record.InTree}, {20, 29, record.InTree}, {21, 29, ""}, {21, 35, record.Migrating},
		{41, 49, ""}, {41, 100, record.External}, {60, 70, record.External}, {16, 15, ""},
	} {
		if got := j.modeOf(on(test.from), on(test.to)); got != test.want {
			t.Errorf("from %v to %v: %q, wanted %q", test.from, test.to, got, test.want)
		}
	}
}
