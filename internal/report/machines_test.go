package report

import (
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

func TestGroupOf(t *testing.T) {
	for machine, want := range map[string]string{
		"demo-workers-5f7c9d4b8x-abcde": "demo-workers", "demo-a-b-5f7c9d4b8x-abcde": "demo-a-b", "": "workers", "odd-name": "workers", "three-part-name": "three",
	} {
		if got := groupOf(record.Node{Machine: machine}); got != want {
			t.Errorf("machine %q is of %q, wanted %q", machine, got, want)
		}
	}
}

// What happens to a control plane is on its own lane, and what happens to workers on that
// of their group; a group to which nothing happens has none.
func TestLanesOfMachines(t *testing.T) {
	r := recording(t, "clean")
	at := func(d time.Duration) time.Time { return r.From.Add(d) }
	for _, name := range []string{"w-0", "w-1", "w-2"} {
		n := record.Node{Name: name, Machine: "demo-pool-5f7c9-" + name[2:]}
		r.World.Nodes = append(r.World.Nodes, judge.NodeChange{First: n, Last: n})
	}
	quiet := record.Node{Name: "q-0", Machine: "demo-quiet-5f7c9-0"}
	r.World.Nodes = append(r.World.Nodes, judge.NodeChange{First: quiet, Last: quiet})
	r.World.Machines = nil
	r.World.Stretches = []judge.NodeStretch{
		{Node: "cp-0", ControlPlane: true, What: judge.Silent, From: at(time.Second), To: at(30 * time.Second)},
		{Node: "w-0", What: judge.Cordoned, From: at(time.Second), To: at(9 * time.Second)},
		{Node: "w-1", What: judge.Cordoned, From: at(5 * time.Second), To: at(12 * time.Second)},
		{Node: "w-2", What: judge.NotReady, From: at(20 * time.Second)},
	}
	svg := string(SVG(r))
	for _, want := range []string{">demo-pool<", "Node cp-0 no renewal seen", "Node w-0 cordoned; 09:00:05.0 to 09:00:12.0", `class="cordoned"`, `class="unready"`, "Node w-2 not Ready"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture does not have %q", want)
		}
	}
	if strings.Contains(svg, "demo-quiet") {
		t.Error("a group to which nothing happened has a lane")
	}
	page, err := HTML(Of(r, nil))
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"page": string(page), "Markdown": Markdown(Of(r, nil))} {
		for _, want := range []string{"Nodes that were cordoned, not Ready or silent", "until the end of the record", "Controller managers, before and after"} {
			if !strings.Contains(text, want) {
				t.Errorf("the %s does not have %q", what, want)
			}
		}
		if strings.Contains(text, "Machines of Rancher") {
			t.Errorf("the %s has machines that nobody read", what)
		}
	}
}

func TestTablesOfMachines(t *testing.T) {
	w := judge.World{
		Machines: []record.Machine{{Name: "m-0", Infrastructure: "demo-cp-x7k2p", Node: "ip-0"}, {Name: "m-1"}},
		Arguments: []judge.Arguments{
			{Node: "cp-0", Program: "kube-controller-manager", Before: []string{"--cloud-provider=aws"}, After: []string{"--cloud-provider=external"}, Image: judge.Images{Before: "a", After: "a"}},
			{Node: "cp-1", Program: "kube-controller-manager", Before: []string{"--x=1"}, After: []string{"--x=2"}, Frozen: "fixed UID"},
		},
	}
	var text strings.Builder
	r := judge.Result{World: w}
	text.WriteString(Markdown(Of(r, nil)))
	for _, want := range []string{"| m-0 | demo-cp-x7k2p | ip-0 |", "| m-1 | – | – |", "--cloud-provider=aws → **--cloud-provider=external**", "--x=2 (may not be those in force: fixed UID)"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

// What overlaps is drawn as one, in the colour of the worst, whichever came first.
func TestJoined(t *testing.T) {
	for _, test := range []struct {
		name          string
		first, second string
		want          string
	}{
		{"lost behind late", "late", "lost", "lost"}, {"late behind lost", "lost", "late", "lost"},
		{"not Ready behind cordoned", "cordoned", "unready", "unready"}, {"cordoned behind not Ready", "unready", "cordoned", "unready"},
	} {
		got := joined([]mark{whole(0, 10, test.first, "a"), whole(5, 20, test.second, "b"), whole(30, 40, test.first, "c")})
		if len(got) != 2 || got[0].parts[0].class != test.want || got[0].end != 20 || got[1].parts[0].class != test.first {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}

func TestApprovalText(t *testing.T) {
	for want, a := range map[string]judge.Approval{
		"plan sha256:1, by u@h at 12:00:00.0": {At: noon, Plan: "sha256:1", By: "u@h"},
		"step upgrade, by u@h at 12:00:00.0":  {At: noon, Step: "upgrade", By: "u@h"},
		"plan –, by – at 12:00:00.0":          {At: noon},
	} {
		if got := approvalText(a); got != want {
			t.Errorf("%q, wanted %q", got, want)
		}
	}
}
