package rolling

import (
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

func kcmFor(machine string, ready bool, restarts int32, message string, args ...string) migration.KCM {
	status := downstream.ContainerStatus{Ready: ready, Restarts: restarts}
	if !ready {
		status.Waiting = &downstream.Waiting{Reason: "CrashLoopBackOff"}
		status.Before = &downstream.End{Code: 1, Message: message}
	}
	pod := &downstream.Pod{Name: "kube-controller-manager-" + machine, Ready: ready, Containers: []downstream.Container{{Args: args}},
		Statuses: []downstream.ContainerStatus{status}}
	return migration.KCM{Member: machine, Kind: "Machine", ID: machine, Node: machine, Known: true, Ready: ready, Pod: pod}
}

func TestCrash_exits_errorNamesCause(t *testing.T) {
	sound := kcmFor("b", true, 0, "", "--profiling=false", "--kubeconfig=/var/lib/rancher/x")
	bad := []string{"--profiling=false", "--kubeconfig=/var/lib/rancher/y", "--bogus=1"}
	for name, c := range map[string]struct {
		kcms []migration.KCM
		seen string // empty if there is no error
	}{
		"all run":                   {kcms: []migration.KCM{sound}},
		"no pod":                    {kcms: []migration.KCM{{Node: "c"}, sound}},
		"a start that raced":        {kcms: []migration.KCM{kcmFor("a", false, raceLimit-1, "boom", bad...), sound}},
		"its own words":             {kcms: []migration.KCM{sound, kcmFor("a", false, raceLimit, "I am\nunknown flag: --bogus\n", bad...)}, seen: "exits with code 1, 3 restarts: unknown flag: --bogus"},
		"RKE2 keeps no words":       {kcms: []migration.KCM{kcmFor("a", false, 5, "", bad...), sound}, seen: "exits with code 1, 5 restarts; arguments that no running one has: --bogus=1"},
		"none runs to compare with": {kcms: []migration.KCM{kcmFor("a", false, 5, "", bad...)}, seen: "exits with code 1, 5 restarts"},
		"nothing sets it apart":     {kcms: []migration.KCM{kcmFor("a", false, 5, "", "--profiling=false"), sound}, seen: "exits with code 1, 5 restarts"},
	} {
		t.Run(name, func(t *testing.T) {
			seen := Exits{}
			for _, k := range c.kcms { // this run saw every exit
				if k.Pod != nil {
					seen[k.ID] = exits{all: k.Pod.Statuses[0].Restarts + 1}
				}
			}
			f, ok := fault.As(seen.Crash(migration.Snapshot{Reading: migration.Reading{Object: "Cluster demo", KCMs: c.kcms}}))
			switch {
			case ok != (c.seen != ""):
				t.Fatalf("fault %v", f)
			case !ok:
				return
			}
			if f.Seen != c.seen || f.Object != "kube-controller-manager of Machine a" {
				t.Errorf("%s: %q, wanted %q", f.Object, f.Seen, c.seen)
			}
			if !strings.Contains(f.Fix, "logs kube-controller-manager-a --previous") || !strings.Contains(f.Fix, "in Cluster demo;") {
				t.Errorf("fix %q", f.Fix)
			}
		})
	}
}

// seenKCM describes the content of one reading. "run 3" runs after 3 restarts. "held 3" is
// held back after 3 restarts and one more exit. "none" has no pod, "bare" has a pod without
// statuses.
type seenKCM struct {
	state    string
	restarts int32
	code     int32
	server   string // start of the API server of the same Node; empty if it is not Ready
	pod      string
	unseen   bool // the previous reading failed
	outage   bool // a reading failed less than a back-off ago
}

func (s seenKCM) kcm() migration.KCM {
	k := kcmFor("a", s.state == "run", s.restarts, "", "--profiling=false")
	switch s.state {
	case "none":
		k.Pod = nil
		return k
	case "bare":
		k.Pod.Statuses = nil
		return k
	}
	k.Pod.UID = s.pod
	status := &k.Pod.Statuses[0]
	status.Before = &downstream.End{Code: s.code}
	if s.restarts == 0 && s.state != "held" {
		status.Before = nil
	}
	server := kcmFor("a", s.server != "", 0, "").Pod
	if started, err := time.Parse(time.TimeOnly, s.server); err == nil {
		server.Started = started
	}
	k.Server = server
	return k
}

// A component that exits because its API server is down never counts as broken. One that
// exits while its API server answers does, while it is held back.
func TestOnlyEndsThatTellAreCounted(t *testing.T) {
	const up, later = "10:00:00", "11:00:00"
	run := func(restarts int32) seenKCM {
		return seenKCM{state: "run", restarts: restarts, code: 1, server: up, pod: "p"}
	}
	held := func(restarts int32) seenKCM {
		return seenKCM{state: "held", restarts: restarts, code: 1, server: up, pod: "p"}
	}
	with := func(s seenKCM, change func(*seenKCM)) seenKCM { change(&s); return s }
	unseen := func(s *seenKCM) { s.unseen, s.outage = true, true }
	outage := func(s *seenKCM) { s.outage = true }
	for name, tt := range map[string]struct {
		readings []seenKCM
		named    int // the reading that names it, or 0
	}{
		"a wrong argument, from its first start":      {[]seenKCM{run(0), held(0), held(1), run(2), held(2), held(3)}, 6},
		"the same, seen while it is created":          {[]seenKCM{{state: "new", server: up, pod: "p"}, held(0), held(1), held(2), held(3)}, 5},
		"ends between readings count":                 {[]seenKCM{run(0), held(3)}, 2},
		"a start that raced":                          {[]seenKCM{run(0), held(0), held(1), held(2), run(3), run(3)}, 0},
		"restarted three times months ago, ends once": {[]seenKCM{run(3), held(3), run(4)}, 0},
		"the same, with its API server": {[]seenKCM{run(3), with(held(3), func(s *seenKCM) { s.server = "" }),
			with(held(3), func(s *seenKCM) { s.server = later }), with(run(4), func(s *seenKCM) { s.server = later })}, 0},
		"its API server goes again and again": {[]seenKCM{run(0), with(held(1), func(s *seenKCM) { s.server = "" }), with(held(3), func(s *seenKCM) { s.server = later }),
			with(held(5), func(s *seenKCM) { s.server = "" }), with(held(7), func(s *seenKCM) { s.server = up })}, 0},
		"an outage that the run saw":             {[]seenKCM{run(0), with(held(4), unseen), with(held(4), outage), with(run(5), outage)}, 0},
		"and broken all the same":                {[]seenKCM{run(0), with(held(4), unseen), with(held(5), outage), with(held(6), outage), with(held(8), outage), held(8)}, 6},
		"an outage, and one end more":            {[]seenKCM{run(0), with(held(4), unseen), with(held(5), outage), held(5)}, 0},
		"another end each time":                  {[]seenKCM{run(0), held(0), with(held(1), func(s *seenKCM) { s.code = 2 }), held(2), with(held(3), func(s *seenKCM) { s.code = 2 }), held(4)}, 0},
		"held back at the limit":                 {[]seenKCM{held(2), held(2), held(3)}, 0},
		"held back when the run began":           {[]seenKCM{held(7), held(7), held(8)}, 3},
		"held back when the run began, but well": {[]seenKCM{held(7), run(8), run(8)}, 0},
		"its pod is not seen between":            {[]seenKCM{run(0), held(2), {state: "none"}, {state: "bare"}, held(3)}, 5},
		"another manifest":                       {[]seenKCM{run(0), held(2), with(held(2), func(s *seenKCM) { s.pod = "q" }), with(held(3), func(s *seenKCM) { s.pod = "q" })}, 0},
		"it runs at the moment":                  {[]seenKCM{run(0), held(2), run(9)}, 0},
	} {
		named, seen := 0, Exits{}
		for i, r := range tt.readings {
			k := r.kcm()
			reading := migration.Snapshot{Reading: migration.Reading{KCMs: []migration.KCM{k}}, Unseen: r.unseen, Outage: r.outage}
			seen = seen.Next(reading)
			if err := seen.Crash(reading); err != nil && named == 0 {
				named = i + 1
			}
		}
		if named != tt.named {
			t.Errorf("%s: named by reading %d, wanted %d", name, named, tt.named)
		}
	}
}
