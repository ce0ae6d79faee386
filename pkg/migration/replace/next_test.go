package replace

import (
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// pod returns a pod that runs a container since before its leader took the lease.
func pod(node string, flagged bool) downstream.Pod {
	p := clustertest.CCMPod(node, flagged)
	p.Started = clustertest.Start.Add(-time.Minute)
	p.Statuses[0].ID = "containerd://" + node
	return p
}

// led returns a reading of two control planes whose leader is on the host cp-0.
func led(flags ...bool) migration.Reading {
	r := clustertest.At(position.P4).Reading
	r.Down.CCMPods = nil
	for i, flagged := range flags {
		r.Down.CCMPods = append(r.Down.CCMPods, pod([]string{"cp-0", "cp-1"}[i], flagged))
	}
	r.Leases.CCM = clustertest.Renewing("cp-0_1", wellknown.CCM)
	r.Leases.CCM.Last.Acquire = clustertest.Start
	return r
}

func TestNext(t *testing.T) {
	for name, tt := range map[string]struct {
		flags  []bool
		change func(*migration.Reading)
		want   string
	}{
		"none left":                     {[]bool{false, false}, nil, "done"},
		"the other one first":           {[]bool{true, true}, nil, "delete ccm-cp-1"},
		"then the leader":               {[]bool{true, false}, nil, "delete the leader ccm-cp-0, end containerd://cp-0"},
		"the leader is new":             {[]bool{false, true}, nil, "delete ccm-cp-1"},
		"a new one is not ready":        {[]bool{true, false}, func(r *migration.Reading) { r.Down.CCMPods[1].Ready = false }, "wait: pod ccm-cp-1 on Node cp-1 is not ready"},
		"one is about to end":           {[]bool{true, true}, func(r *migration.Reading) { r.Down.CCMPods[1].Deleting = true }, "wait: pod ccm-cp-1 on Node cp-1 is about to end"},
		"one is missing":                {[]bool{true}, nil, "wait: Node cp-1 has no pod"},
		"an old one is not ready":       {[]bool{true, true}, func(r *migration.Reading) { r.Down.CCMPods[1].Ready = false }, "delete ccm-cp-1"},
		"no leader renews":              {[]bool{true, true}, func(r *migration.Reading) { r.Leases.CCM = clustertest.Unwritten(r.Leases.CCM) }, "wait: main lease"},
		"no main lease":                 {[]bool{true, true}, func(r *migration.Reading) { r.Leases.CCM = lease.Series{} }, "wait: main lease"},
		"a leader without a pod":        {[]bool{true, true}, func(r *migration.Reading) { r.Leases.CCM = clustertest.Renewing("elsewhere_1", wellknown.CCM) }, "roll: the main lease is held on host elsewhere, where 0 pods"},
		"two pods on the leader's host": {[]bool{true, true}, func(r *migration.Reading) { r.Down.CCMPods[1].Node = "cp-0"; r.Down.Nodes = r.Down.Nodes[:1] }, "roll: the main lease is held on host cp-0, where 2 pods"},
		"a container without an ID":     {[]bool{true, false}, func(r *migration.Reading) { r.Down.CCMPods[0].Statuses[0].ID = "" }, "delete the leader ccm-cp-0, unproven: pod ccm-cp-0 does not show"},
		"a container that does not run": {[]bool{true, false}, func(r *migration.Reading) { r.Down.CCMPods[0].Statuses[0].Ended = &downstream.End{} }, "delete the leader ccm-cp-0, unproven: pod ccm-cp-0 does not show"},
		"a container that is too young": {[]bool{true, false}, func(r *migration.Reading) { r.Down.CCMPods[0].Started = clustertest.Start.Add(time.Second) }, "delete the leader ccm-cp-0, unproven: the container"},
		"a lease without a time":        {[]bool{true, false}, func(r *migration.Reading) { r.Leases.CCM.Last.Acquire = time.Time{} }, "delete the leader ccm-cp-0, unproven: the container"},
		"pods of another program":       {[]bool{false, false}, func(r *migration.Reading) { r.Down.CCMPods[0].Containers[0].Name = "other" }, "done"},
		"a pod that is over needs no end": {[]bool{false, false}, func(r *migration.Reading) {
			over := pod("cp-1", true)
			over.Phase = "Failed"
			r.Down.CCMPods = append(r.Down.CCMPods, over)
		}, "done"},
	} {
		r := led(tt.flags...)
		if tt.change != nil {
			tt.change(&r)
		}
		if got := shown(Next(r, false)); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %q, wanted %q", name, got, tt.want)
		}
	}
}

// Towards the flag the same rules hold.
func TestNext_flagged_mirrored(t *testing.T) {
	for want, flags := range map[string][]bool{
		"done": {true, true}, "delete ccm-cp-1": {false, false}, "delete the leader ccm-cp-0, end containerd://cp-0": {false, true},
	} {
		if got := shown(Next(led(flags...), true)); got != want {
			t.Errorf("%v: %q, wanted %q", flags, got, want)
		}
	}
}

func shown(m Move) string {
	switch {
	case m.Done:
		return "done"
	case m.Wait != "":
		return "wait: " + m.Wait
	case m.Roll != "":
		return "roll: " + m.Roll
	case m.Pod == nil:
		return ""
	case !m.Leads:
		return "delete " + m.Pod.Name
	case m.End != "":
		return "delete the leader " + m.Pod.Name + ", end " + m.End
	}
	return "delete the leader " + m.Pod.Name + ", unproven: " + m.Unproven
}

func TestSameLeader(t *testing.T) {
	r := led(true, true)
	for name, tt := range map[string]struct {
		change func(*lease.Observation)
		want   bool
	}{
		"renewed":         {func(o *lease.Observation) { o.ResourceVersion = "9" }, true},
		"another holder":  {func(o *lease.Observation) { o.Holder = "cp-1_1" }, false},
		"taken again":     {func(o *lease.Observation) { o.Transitions++ }, false},
		"another lease":   {func(o *lease.Observation) { o.UID = "v" }, false},
		"no lease at all": {func(o *lease.Observation) { o.Exists = false }, false},
	} {
		now := lease.Readings{CCM: r.Leases.CCM.Last}
		tt.change(&now.CCM)
		if SameLeader(r, now) != tt.want {
			t.Errorf("%s: %t", name, !tt.want)
		}
	}
}

// The migration lease is removed without a wait only after each end was shown, and while a pod
// without the flag leads.
func TestEnds(t *testing.T) {
	a, b := pod("cp-0", true), pod("cp-1", true)
	both := Begin([]downstream.Pod{a, b})
	for name, tt := range map[string]struct {
		ends Ends
		want bool
	}{
		"a run that replaced none":   {nil, false},
		"none shown":                 {both, false},
		"one shown":                  {both.Note(a, true), false},
		"both shown":                 {both.Note(a, true).Note(b, true), true},
		"one not shown":              {both.Note(a, true).Note(b, false), false},
		"another one was there, too": {both.Note(a, true).Note(b, true).Note(pod("cp-2", true), false), false},
		"begun by another run":       {Ends(nil).Note(a, true).Note(b, true), false},
	} {
		if tt.ends.AllShown() != tt.want {
			t.Errorf("%s: %t", name, !tt.want)
		}
	}
	if LedBy(led(true, false), false) || !LedBy(led(false, true), false) {
		t.Error("a leader counts with the other flag")
	}
}
