package guard

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Each change of a cluster changes one signal.
func TestSignalsOf_changes_signals(t *testing.T) {
	restarts := map[string]int32{"ccm-cp-0": 0, "ccm-cp-1": 0}
	gap := 23800 * time.Millisecond // 15 s of the lease, and twice 2.2 times 2 s
	atP3 := Signals{At: clustertest.Start, Gap: gap, LeaseMark: "2", LeaseHolder: "cp-0_kcm", LeaseNeeded: true, CCMRestarts: restarts,
		SwitchedNotReady: nil}
	atP4 := Signals{At: clustertest.Start, Gap: gap, LeaseMark: "2", LeaseHolder: "cp-1_ccm", LeaseNeeded: true, CCMHolds: true, CCMRestarts: restarts}
	for name, tt := range map[string]struct {
		at     position.Position
		change func(*migration.Snapshot)
		want   Signals
		differ func(*Signals)
	}{
		"P3":                          {position.P3, nil, atP3, nil},
		"P4":                          {position.P4, nil, atP4, nil},
		"the reading before failed":   {position.P4, func(s *migration.Snapshot) { s.Unseen = true }, atP4, func(g *Signals) { g.Unseen = true }},
		"one failed a while ago":      {position.P4, func(s *migration.Snapshot) { s.Outage = true }, atP4, func(g *Signals) { g.Outage = true }},
		"one KCM is without the flag": {position.P3, func(s *migration.Snapshot) { s.Reading.KCMs[0] = clustertest.AKCM("cp-0", "aws", false) }, atP3, func(g *Signals) { g.LeaseNeeded = false }},
		"one KCM is not known":        {position.P3, func(s *migration.Snapshot) { s.Reading.KCMs[0].Known = false }, atP3, func(g *Signals) { g.LeaseNeeded = false }},
		"there is no migration lease": {position.P4, func(s *migration.Snapshot) { s.Reading.Leases.Migration = lease.Series{} }, atP4, func(g *Signals) { g.LeaseNeeded, g.LeaseMark, g.LeaseHolder, g.CCMHolds = false, "", "", false }},
		"the CCM does not renew it": {position.P4, func(s *migration.Snapshot) {
			s.Reading.Leases.Migration = clustertest.Unwritten(s.Reading.Leases.Migration)
		}, atP4, func(g *Signals) { g.LeaseMark, g.CCMHolds = "1", false }},
		"one is external with the flag": {position.P4, func(s *migration.Snapshot) { s.Reading.KCMs[1] = clustertest.AKCM("cp-1", "external", true) }, atP4, func(g *Signals) { g.Starving = []string{"cp-1"} }},
		"external, flag, and not known": {position.P4, func(s *migration.Snapshot) {
			s.Reading.KCMs[1] = clustertest.AKCM("cp-1", "external", true)
			s.Reading.KCMs[1].Known = false
		}, atP4, func(g *Signals) { g.LeaseNeeded = false }},
		"a pod of the CCM restarted":      {position.P4, func(s *migration.Snapshot) { clustertest.SetRestarts(&s.Reading.Down.CCMPods[1], 3) }, atP4, func(g *Signals) { g.CCMRestarts = map[string]int32{"ccm-cp-0": 0, "ccm-cp-1": 3} }},
		"on the way back":                 {position.P4, func(s *migration.Snapshot) { s.Back = true }, atP4, func(g *Signals) { g.CCMRestarts = nil }},
		"a switched machine is not Ready": {position.P4, func(s *migration.Snapshot) { s.Reading.Down.Nodes[2].Ready.Status = "Unknown" }, atP4, func(g *Signals) { g.SwitchedNotReady = []string{"worker"} }},
		"one that is not switched": {position.P4, func(s *migration.Snapshot) {
			s.Reading.Down.Nodes[2].Ready.Status = "Unknown"
			s.Reading.Members[2].Kubelet = migration.KubeletInTree
		}, atP4, nil},
		"a machine without its Node": {position.P4, func(s *migration.Snapshot) { s.Reading.Members[2].Nodes = []string{"gone"} }, atP4, nil},
		"longer leases are in force": {position.P4, func(s *migration.Snapshot) {
			s.Reading.KCMs[0].Args = component.Parse([]string{"--cloud-provider=external", "--leader-elect-lease-duration=60s", "--leader-elect-retry-period=10s"})
		}, atP4, func(g *Signals) { g.Gap = 104 * time.Second }},
		"of one that is not known": {position.P3, func(s *migration.Snapshot) {
			s.Reading.KCMs[1].Args, s.Reading.KCMs[1].Known = component.Parse([]string{"--leader-elect-lease-duration=60s"}), false
		}, atP3, func(g *Signals) { g.LeaseNeeded = false }},
	} {
		snap := clustertest.At(tt.at)
		if tt.change != nil {
			tt.change(&snap)
		}
		if tt.differ != nil {
			tt.differ(&tt.want)
		}
		if d := cmp.Diff(tt.want, SignalsOf(snap)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// A new Node is pending while it has the taint that the CCM removes.
func TestNewNodesOpen_taint_newNodesOnly(t *testing.T) {
	taint := downstream.Taint{Key: uninitializedTaint, Effect: "NoSchedule"}
	for name, tt := range map[string]struct {
		then  []continuity.NodePrint
		taint downstream.Taint
		open  int
	}{
		"it joined":                  {clustertest.Prints()[:2], taint, 1},
		"it was there":               {clustertest.Prints(), taint, 0},
		"it joined, and is ready":    {clustertest.Prints()[:2], downstream.Taint{Key: "other", Effect: "NoSchedule"}, 0},
		"without a fingerprint":      {nil, taint, 1},
		"an empty fingerprint is it": {[]continuity.NodePrint{}, taint, 1},
	} {
		snap := clustertest.At(position.P4)
		if tt.then != nil {
			snap.Record = clustertest.Printed(t, tt.then...)
		}
		snap.Reading.Down.Nodes[2].Taints = []downstream.Taint{tt.taint}
		if got := NewNodesOpen(snap); len(got) != tt.open {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// The guard counts time by the run's clock. It stops only beyond a limit, and ignores times
// without a reading.
func TestJudge_times_stopBeyondLimit(t *testing.T) {
	type look struct {
		after  time.Duration
		change func(*Signals)
	}
	// Without a change, the lease mark differs at each time, as if the holder had renewed.
	stuck := func(s *Signals) { s.LeaseMark = "same" }
	stuckUnseen := func(s *Signals) { stuck(s); s.Unseen = true }
	stuckSlow := func(s *Signals) { stuck(s); s.Gap = 100 * time.Second }
	down := func(s *Signals) { s.SwitchedNotReady = []string{"m"} }
	downUnseen := func(s *Signals) { down(s); s.Unseen = true }
	pods := func(holds bool, restarts map[string]int32) func(*Signals) {
		return func(s *Signals) { s.CCMHolds, s.CCMRestarts = holds, restarts }
	}
	outage := func(s *Signals) { pods(true, map[string]int32{"p": 2})(s); s.Outage = true }
	limit := 84 * time.Second // 24 s of a hand-over and 60 s
	for name, tt := range map[string]struct {
		looks []look
		want  string
	}{
		"lease still, exactly at the limit":              {[]look{{0, stuck}, {limit, stuck}}, ""},
		"lease still, just beyond it":                    {[]look{{0, stuck}, {limit + 1, stuck}}, "LeaseNotRenewed"},
		"it moved in between":                            {[]look{{0, stuck}, {time.Second, nil}, {2 * time.Second, stuck}, {limit + 2*time.Second, stuck}}, ""},
		"and then did not move for too long":             {[]look{{0, nil}, {time.Second, stuck}, {limit + time.Second + 1, stuck}}, "LeaseNotRenewed"},
		"nothing was seen before this look":              {[]look{{0, stuck}, {limit + 1, stuckUnseen}}, ""},
		"and it does not move from then on":              {[]look{{0, stuck}, {limit, stuckUnseen}, {2*limit + 1, stuck}}, "LeaseNotRenewed"},
		"no holder was needed in between":                {[]look{{0, stuck}, {limit, func(s *Signals) { stuck(s); s.LeaseNeeded = false }}, {2 * limit, stuck}}, ""},
		"longer leases in force, exactly at the limit":   {[]look{{0, stuckSlow}, {160 * time.Second, stuckSlow}}, ""},
		"longer leases in force, just beyond it":         {[]look{{0, stuckSlow}, {160*time.Second + 1, stuckSlow}}, "LeaseNotRenewed"},
		"switched and not Ready, exactly at the limit":   {[]look{{0, down}, {5 * time.Minute, down}}, ""},
		"switched and not Ready, just beyond it":         {[]look{{0, down}, {5*time.Minute + 1, down}}, "SwitchedNotReady"},
		"not Ready, and nothing was seen before":         {[]look{{0, down}, {5*time.Minute + 1, downUnseen}}, ""},
		"not Ready still after that":                     {[]look{{0, down}, {time.Minute, downUnseen}, {6*time.Minute + 1, down}}, "SwitchedNotReady"},
		"another machine each time":                      {[]look{{0, down}, {5*time.Minute + 1, func(s *Signals) { s.SwitchedNotReady = []string{"n"} }}}, ""},
		"a pod restarts in the look of the hand-over":    {[]look{{0, pods(false, map[string]int32{"p": 0})}, {1, pods(true, map[string]int32{"p": 1})}}, ""},
		"a pod restarts after the CCM held once":         {[]look{{0, pods(true, map[string]int32{"p": 1})}, {1, pods(false, map[string]int32{"p": 2})}}, "CCMRestarts"},
		"a pod restarts while a KCM holds again":         {[]look{{0, pods(true, map[string]int32{"p": 1})}, {1, pods(false, map[string]int32{"p": 1})}, {2, pods(false, map[string]int32{"p": 2})}}, "CCMRestarts"},
		"it restarts without an API":                     {[]look{{0, pods(true, map[string]int32{"p": 1})}, {1, outage}}, ""},
		"and does not again after that":                  {[]look{{0, pods(true, map[string]int32{"p": 1})}, {1, outage}, {2, pods(true, map[string]int32{"p": 2})}}, ""},
		"it restarts again after that":                   {[]look{{0, pods(true, map[string]int32{"p": 1})}, {1, outage}, {2, pods(true, map[string]int32{"p": 3})}}, "CCMRestarts"},
		"nothing of the pods was looked at, on way back": {[]look{{0, pods(true, nil)}, {1, pods(true, nil)}}, ""},
	} {
		var guard Guard
		var err error
		for i, l := range tt.looks {
			s := Signals{At: clustertest.Start.Add(l.after), LeaseMark: l.after.String(), LeaseNeeded: true}
			if l.change != nil {
				l.change(&s)
			}
			if err = guard.Judge(s); err != nil && i < len(tt.looks)-1 {
				t.Errorf("%s: stopped at reading %d already: %v", name, i, err)
			}
		}
		if got := clustertest.ReasonOf(err); got != tt.want {
			t.Errorf("%s: %q (%v), want %q", name, got, err, tt.want)
		}
	}
}

// Of several reasons, Judge returns the one that can cause the others.
func TestJudge_severalReasons_causeFirst(t *testing.T) {
	all := Signals{Renames: []Rename{{"m", "old", "new", "same instance"}}, Starving: []string{"cp-0"}}
	var guard Guard
	if got := clustertest.ReasonOf(guard.Judge(all)); got != "NodeRenamed" {
		t.Error(got)
	}
	all.Renames = nil
	if got := clustertest.ReasonOf(guard.Judge(all)); got != "StarvingLease" {
		t.Error(got)
	}
}
