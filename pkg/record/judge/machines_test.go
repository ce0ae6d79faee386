package judge

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// A Node is cordoned, not Ready or silent from one entry to another, or when the record ends.
func TestNodeStretches(t *testing.T) {
	at := func(x float64) time.Time { return epoch.Add(time.Duration(x * float64(time.Second))) }
	node := func(name, ready string, cordoned bool) record.Entry {
		return record.Entry{Node: &record.Node{Name: name, UID: name, Ready: ready, Unschedulable: cordoned, ControlPlane: name == "cp-0"}}
	}
	gone := node("w-1", "Unknown", true)
	gone.Node.Gone = true
	s := (&script{}).at(0, record.Entry{Header: &record.Header{Form: record.Form}}).
		at(1, node("cp-0", "True", false)).at(2, node("w-0", "True", true)).at(3, node("w-1", "", false)).
		at(10, node("cp-0", "True", true)).at(12, node("cp-0", "False", true)).at(20, node("cp-0", "True", true)).at(22, node("cp-0", "True", false)).
		at(30, node("w-1", "Unknown", false)).at(31, gone)
	s.all = append(s.all, renewal("cp-0", at(0), time.Time{}), renewal("cp-0", at(10), at(8)), renewal("cp-0", at(45), at(43)))
	want := []NodeStretch{
		{Node: "w-0", What: Cordoned, From: at(2)},
		{Node: "cp-0", ControlPlane: true, What: Silent, From: at(8), To: at(45)},
		{Node: "cp-0", ControlPlane: true, What: Cordoned, From: at(10), To: at(22)},
		{Node: "cp-0", ControlPlane: true, What: NotReady, From: at(12), To: at(20)},
		{Node: "w-1", What: NotReady, From: at(30), To: at(31)},
	}
	if diff := cmp.Diff(want, s.alone().World.Stretches); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

// Arguments are those that the first and the last pod of a Node show.
func TestArguments(t *testing.T) {
	s := begun()
	s.pod(5, record.Running, wellknown.KCM, "cp-0", "k1", "--cloud-provider=external")
	s.all[len(s.all)-1].Pod.UID = "another"
	got := s.judged().World.Arguments
	want := []Arguments{
		{Node: "cp-0", Program: wellknown.KCM, Before: []string{"--cloud-provider=aws", "--enable-leader-migration=true"}, After: []string{"--cloud-provider=external"}, Image: Images{"x:v1.26.0", "x:v1.26.0"}},
		{Node: "cp-1", Program: wellknown.CCM, Before: []string{"--enable-leader-migration=true"}, After: []string{"--enable-leader-migration=true"}, Image: Images{"x:v1.26.0", "x:v1.26.0"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}
