package continuity

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

var now = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

func aNode(i int) downstream.Node {
	n := downstream.Node{
		Name: fmt.Sprintf("n%d", i), UID: fmt.Sprintf("u%d", i), ProviderID: fmt.Sprintf("aws:///us-east-1a/i-0000000%d", i),
		Labels:    map[string]string{downstream.LabelMachine: fmt.Sprintf("m%d", i)},
		Addresses: []downstream.Address{{Type: "InternalIP", Address: fmt.Sprintf("10.0.0.%d", i)}}, Created: now,
	}
	if i == 0 {
		n.Labels["node-role.kubernetes.io/control-plane"] = "true"
	}
	return n
}

func facts(nodes ...downstream.Node) downstream.Facts {
	return downstream.Facts{
		Nodes: verify.Got(nodes), ServerClock: now.Add(time.Hour),
		Services: verify.Got([]downstream.Service{{Namespace: "web", Name: "front", UID: "s", Hostnames: []string{"b", "a"}}}),
	}
}

func machines(ids ...int) []MachineRef {
	ms := []MachineRef{}
	for _, i := range ids {
		ms = append(ms, MachineRef{UID: fmt.Sprintf("m%d", i), Name: fmt.Sprintf("demo-%d", i), Node: fmt.Sprintf("n%d", i), ControlPlane: i == 0})
	}
	return ms
}

func with(n downstream.Node, change func(*downstream.Node)) downstream.Node { change(&n); return n }

func TestContinuity(t *testing.T) {
	fp, err := Take(facts(aNode(0), aNode(1), aNode(2)), cloud.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	unmanaged := fp
	unmanaged.Nodes = slices.Clone(fp.Nodes)
	for i := range unmanaged.Nodes {
		unmanaged.Nodes[i].Machine = ""
	}
	renamed := with(aNode(2), func(n *downstream.Node) { n.Name, n.UID = "demo-2", "x" })
	young := func(n *downstream.Node) {
		n.ProviderID, n.Created = "", now.Add(55*time.Minute)
		n.Taints = []downstream.Taint{{Key: downstream.TaintUninitialized}}
	}
	cases := []struct {
		name     string
		nodes    []downstream.Node
		machines []MachineRef
		want     verify.Status
		seen     string
	}{
		{"unchanged", []downstream.Node{aNode(0), aNode(1), aNode(2)}, machines(0, 1, 2), verify.OK, ""},
		{"left with its machine", []downstream.Node{aNode(0), aNode(1)}, machines(0, 1), verify.OK, "left"},
		{"left, machine deleting", []downstream.Node{aNode(0), aNode(1)}, append(machines(0, 1), MachineRef{UID: "m2", Deleting: true}), verify.OK, "left"},
		{"gone, machine there", []downstream.Node{aNode(0), aNode(1)}, machines(0, 1, 2), verify.Fail, "still exists without a Node: it was deleted"},
		{"gone, machines not known", []downstream.Node{aNode(0), aNode(1)}, nil, verify.Warn, "is not known"},
		{"renamed, old Node there", []downstream.Node{aNode(0), aNode(1), aNode(2), renamed}, machines(0, 1, 2), verify.Fail, "has 2 Nodes"},
		{"renamed, old Node gone", []downstream.Node{aNode(0), aNode(1), renamed}, machines(0, 1, 2), verify.Fail, "a new name of the machine that was Node n2"},
		{"registered again", []downstream.Node{aNode(0), aNode(1), with(aNode(2), func(n *downstream.Node) { n.UID = "x" })}, machines(0, 1, 2), verify.Fail, "registered again"},
		{"ProviderID changed", []downstream.Node{aNode(0), aNode(1), with(aNode(2), func(n *downstream.Node) { n.ProviderID = "aws:///us-east-1a/i-00000009" })}, machines(0, 1, 2), verify.Fail, "ProviderID"},
		{"joined", []downstream.Node{aNode(0), aNode(1), aNode(2), aNode(3)}, machines(0, 1, 2, 3), verify.OK, "joined"},
		{"joined, young", []downstream.Node{aNode(0), aNode(1), aNode(2), with(aNode(3), young)}, machines(0, 1, 2, 3), verify.Warn, "not initialized yet"},
		{"joined, stuck", []downstream.Node{aNode(0), aNode(1), aNode(2), with(aNode(3), func(n *downstream.Node) { young(n); n.Created = now })}, machines(0, 1, 2, 3), verify.Fail, "after 10 minutes"},
		{"joined without a machine", []downstream.Node{aNode(0), aNode(1), aNode(2), aNode(3)}, machines(0, 1, 2), verify.Fail, "belongs to no machine"},
		{"no Machine, renamed", []downstream.Node{aNode(0), aNode(1), with(aNode(2), func(n *downstream.Node) { n.Name, n.UID, n.Labels = "demo-2", "x", nil })},
			[]MachineRef{{Name: "a", Node: "n0"}, {Name: "b", Node: "n1"}, {Name: "c", Node: "demo-2"}}, verify.Fail, "is gone, and its instance is Node demo-2"},
		{"RKE, gone from cluster.yml", []downstream.Node{aNode(0)}, []MachineRef{{Name: "a", Node: "n0"}}, verify.OK, "left"},
		{"RKE, still in cluster.yml", []downstream.Node{aNode(0)}, []MachineRef{{Name: "b", Node: "n1"}, {Name: "c", Node: "n2"}}, verify.Fail, "still exists"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			worst, all, before := verify.OK, "", fp
			if strings.HasPrefix(tc.name, "no Machine") {
				before = unmanaged
			}
			for _, f := range Continuity(before, facts(tc.nodes...), tc.machines, cloud.Facts{}) {
				all += fmt.Sprintf("%s %s: %s\n", f.Status, f.Object, f.Seen)
				if f.Status == verify.Fail || worst == verify.OK {
					worst = f.Status
				}
			}
			if worst != tc.want || !strings.Contains(all, tc.seen) {
				t.Errorf("got %s\n%swant %s with %q", worst, all, tc.want, tc.seen)
			}
		})
	}
}

func TestEncode(t *testing.T) {
	var nodes []downstream.Node
	for i := range 5000 {
		n := aNode(i % 10)
		n.Name = fmt.Sprintf("ip-10-%d-%d-%d.us-east-1.compute.internal", i/65536, i/256%256, i%256)
		n.UID = fmt.Sprintf("%08x-0000-4000-8000-%012x", i*2654435761, i*40503)
		nodes = append(nodes, n)
	}
	fp, err := Take(facts(nodes...), cloud.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := fp.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) > 600<<10 {
		t.Errorf("%d bytes are too much for a ConfigMap", len(raw))
	}
	back, err := Decode(raw)
	if err != nil || !reflect.DeepEqual(back, fp) {
		t.Errorf("came back different: %v", err)
	}
	if _, err := Decode(raw[:len(raw)/2]); err == nil {
		t.Error("half a fingerprint was read")
	}
	fp.Schema = 99
	if raw, err = fp.Encode(); err != nil {
		t.Fatal(err)
	}
	if _, err := Decode(raw); err == nil || !strings.Contains(err.Error(), "99") {
		t.Errorf("schema 99: %v", err)
	}
}

func TestTake_missingReading_error(t *testing.T) {
	f := facts(aNode(0))
	f.Services = verify.Failed[[]downstream.Service](fmt.Errorf("forbidden"))
	if _, err := Take(f, cloud.Facts{}); err == nil || !strings.Contains(err.Error(), "forbidden") {
		t.Errorf("error %v", err)
	}
	if _, err := Take(downstream.Facts{}, cloud.Facts{}); err == nil {
		t.Error("a fingerprint of nothing")
	}
}

func TestCordons_cordonedByAwsmigrate_reported(t *testing.T) {
	ours := with(aNode(1), func(n *downstream.Node) {
		n.Unschedulable, n.Annotations = true, map[string]string{downstream.AnnotationOurs: "run"}
	})
	users := with(aNode(2), func(n *downstream.Node) { n.Unschedulable = true })
	fp, err := Take(facts(aNode(0), ours, users), cloud.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	if fp.Nodes[1].Cordoned || !fp.Nodes[2].Cordoned {
		t.Errorf("fingerprint %+v", fp.Nodes)
	}
	if got := Cordons(fp, []downstream.Node{ours, users}); len(got) != 1 || got[0].Object != "Node n1" {
		t.Errorf("got %v", got)
	}
}

// RKE rewrites the hostname label when its kubelets become external. RKE2 does not; there a
// change announces another name.
func TestChanged_hostnameLabel_onlyRKE2Reported(t *testing.T) {
	host := func(name string) func(*downstream.Node) {
		return func(n *downstream.Node) { n.Labels[downstream.LabelHostname] = name }
	}
	outside := func(n *downstream.Node) { delete(n.Labels, downstream.LabelMachine) }
	for name, tt := range map[string]struct {
		change []func(*downstream.Node)
		want   int
	}{
		"RKE2":               {nil, 1},
		"RKE":                {[]func(*downstream.Node){outside}, 0},
		"RKE, another label": {[]func(*downstream.Node){outside, func(n *downstream.Node) { n.Labels["x"] = n.Labels[downstream.LabelHostname] }}, 1},
	} {
		labelled := func(hostname string) downstream.Node {
			n := with(aNode(1), host(hostname))
			for _, change := range tt.change {
				change(&n)
			}
			return n
		}
		fp, err := Take(facts(labelled("10.0.0.1")), cloud.Facts{})
		if err != nil {
			t.Fatal(err)
		}
		if got := Changed(fp, []downstream.Node{labelled("ip-10-0-0-1.ec2.internal")}); len(got) != tt.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// The memory for equal Nodes grows linearly with their number.
func TestContinuity_equalNodes_linearMemory(t *testing.T) {
	allocated := func(n int) uint64 {
		node := downstream.Node{Name: "a", ProviderID: "aws:///us-east-1a/i-00000001", Labels: map[string]string{downstream.LabelMachine: "m"}}
		f := downstream.Facts{Nodes: verify.Got(slices.Repeat([]downstream.Node{node}, n))}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if len(Continuity(Fingerprint{}, f, []MachineRef{{UID: "m", Name: "a"}}, cloud.Facts{})) == 0 {
			t.Error("nothing found")
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := allocated(1000), allocated(16000); many > 64*few {
		t.Errorf("1,000 Nodes allocate %d bytes, 16,000 allocate %d", few, many)
	}
}

func TestUpdateUIDs(t *testing.T) {
	fp := Fingerprint{Schema: schema, Nodes: []NodePrint{
		{Name: "same", UID: "1", ProviderID: "p1", Machine: "m1"}, {Name: "again", UID: "2", ProviderID: "p2", Machine: "m2", Cordoned: true},
		{Name: "other-instance", UID: "3", ProviderID: "p3", Machine: "m3"}, {Name: "other-machine", UID: "4", ProviderID: "p4", Machine: "m4"},
		{Name: "gone", UID: "5", ProviderID: "p5", Machine: "m5"}, {Name: "unknown", UID: "6"}}}
	now := []NodePrint{{Name: "same", UID: "1", ProviderID: "p1", Machine: "m1"}, {Name: "again", UID: "x", ProviderID: "p2", Machine: "m2"},
		{Name: "other-instance", UID: "x", ProviderID: "p9", Machine: "m3"}, {Name: "other-machine", UID: "x", ProviderID: "p4", Machine: "m9"},
		{Name: "unknown", UID: "x"}, {Name: "new", UID: "x", ProviderID: "p7", Machine: "m7"}}
	again, names := fp.UpdateUIDs(now)
	if fmt.Sprint(names) != "[again]" || len(again.Nodes) != len(fp.Nodes) || again.Nodes[1].UID != "x" || !again.Nodes[1].Cordoned {
		t.Errorf("took %v: %+v", names, again.Nodes)
	}
	for i, n := range fp.Nodes {
		if i != 1 && again.Nodes[i].UID != n.UID {
			t.Errorf("took %s, too", n.Name)
		}
	}
	if fp.Nodes[1].UID != "2" {
		t.Error("the fingerprint itself was changed")
	}
}
