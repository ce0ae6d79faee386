package judge

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// longName is of a machine, and longHost what Rancher calls its host.
const (
	longName = "production-eu-central-1-control-plane-of-the-shop-8e21cf0a-x7k2p-and-more"
	longHost = "production-eu-central-1-control-plane-of-the-shop-8e21cf0-b1dd3"
)

func TestNodeOfAHost(t *testing.T) {
	node := func(name string, change ...func(*record.Node)) record.Node {
		n := record.Node{Name: name}
		for _, c := range change {
			c(&n)
		}
		return n
	}
	labelled := func(host string) func(*record.Node) { return func(n *record.Node) { n.Hostname = host } }
	address := func(kind, name string) func(*record.Node) {
		return func(n *record.Node) { n.Addresses = append(n.Addresses, record.Address{Type: kind, Address: name}) }
	}
	annotated := func(machine string) func(*record.Node) { return func(n *record.Node) { n.Machine = machine } }
	const a, b = "ip-10-0-1-10.ec2.internal", "ip-10-0-1-11.ec2.internal"
	for _, test := range []struct {
		name, host string
		nodes      []record.Node
		machines   []record.Machine
		want       string
	}{
		{"the Node's name", a, []record.Node{node(a), node(b)}, nil, a},
		{"its label", "cp-0", []record.Node{node(a, labelled("cp-0")), node(b)}, nil, a},
		{"an address", "cp-0", []record.Node{node(a, address("Hostname", "cp-0")), node(b)}, nil, a},
		{"an address of another kind", "cp-0", []record.Node{node(a, address("ExternalDNS", "cp-0")), node(b)}, nil, ""},
		{"without its domain", "ip-10-0-1-10", []record.Node{node(a), node(b)}, nil, a},
		{"exactly, though another begins alike", "cp", []record.Node{node("cp"), node("cp.other")}, nil, "cp"},
		{"two that begin alike", "cp", []record.Node{node("cp.one"), node("cp.other")}, nil, ""},
		{"two by their labels", "cp", []record.Node{node(a, labelled("cp")), node(b, labelled("cp"))}, nil, ""},
		{"none of its names", "demo-cp-8e21cf0a-x7k2p", []record.Node{node(a), node(b)}, nil, ""},
		{"Nodes that may not be read", "cp", nil, nil, "cp"},

		{"the machine's, by its status", "demo-cp-8e21cf0a-x7k2p", []record.Node{node(a), node(b)},
			[]record.Machine{{Name: "demo-cp-6dfb-aaaaa", Infrastructure: "demo-cp-8e21cf0a-x7k2p", Node: a}, {Name: "demo-cp-6dfb-bbbbb", Infrastructure: "demo-cp-8e21cf0a-9xk2p", Node: b}}, a},
		{"with a domain", "demo-cp-8e21cf0a-x7k2p.corp.example", []record.Node{node(a), node(b)},
			[]record.Machine{{Name: "m", Infrastructure: "demo-cp-8e21cf0a-x7k2p", Node: a}}, a},
		{"the machine's, by the Node's annotation", "demo-cp-8e21cf0a-x7k2p", []record.Node{node(a, annotated("m")), node(b, annotated("n"))},
			[]record.Machine{{Name: "m", Infrastructure: "demo-cp-8e21cf0a-x7k2p"}}, a},
		{"a host name that was cut", longHost, []record.Node{node(a), node(b)}, []record.Machine{{Name: "m", Infrastructure: longName, Node: a}}, a},
		{"a Machine's own name says nothing", "m", []record.Node{node(a), node(b)}, []record.Machine{{Name: "m", Infrastructure: "i", Node: a}}, ""},
		{"but where the Node has it, it is the host's", "m-x7k2p", []record.Node{node(a, annotated("m-x7k2p")), node(b)}, nil, a},
		{"a machine without a Node", "i", []record.Node{node(a), node(b)}, []record.Machine{{Name: "m", Infrastructure: "i"}}, ""},
		{"status and annotation contradict each other", "i", []record.Node{node(a), node(b, annotated("m"))}, []record.Machine{{Name: "m", Infrastructure: "i", Node: a}}, ""},
		{"two machines of one host name", "i", []record.Node{node(a), node(b)}, []record.Machine{{Name: "m", Infrastructure: "i", Node: a}, {Name: "n", Infrastructure: "i", Node: b}}, ""},
		{"another Node has it as its own", "i", []record.Node{node(a), node(b, labelled("i"))}, []record.Machine{{Name: "m", Infrastructure: "i", Node: a}}, ""},
		{"the same twice", "i", []record.Node{node(a, labelled("i"), annotated("m")), node(b)}, []record.Machine{{Name: "m", Infrastructure: "i", Node: a}}, a},
		{"a machine with an unread status", "x", []record.Node{node(a)}, []record.Machine{{Infrastructure: "x"}}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHosts()
			for _, n := range test.nodes {
				h.node(n)
			}
			for _, m := range test.machines {
				h.machine(m)
			}
			if got := h.of(test.host); got != test.want {
				t.Errorf("host %s is Node %q, wanted %q", test.host, got, test.want)
			}
		})
	}
}

// onMachines is a cluster whose hosts Rancher named: kube-controller-managers of two control
// planes, the CCM next to the second, and the machines' names if they are recorded.
func onMachines(provider string, machines ...record.Machine) *script {
	s := (&script{}).at(0, record.Entry{Header: &record.Header{Form: record.Form, Name: "demo"}})
	for _, name := range []string{"ip-0.ec2.internal", "ip-1.ec2.internal"} {
		s.at(0, record.Entry{Node: &record.Node{Name: name, UID: name, Hostname: name}})
	}
	for _, m := range machines {
		s.at(0, record.Entry{Machine: &m})
	}
	const flag = "--enable-leader-migration=true"
	s.pod(0, record.Running, wellknown.KCM, "ip-0.ec2.internal", "k0", "--cloud-provider="+provider, flag)
	s.pod(0, record.Running, wellknown.CCM, "ip-1.ec2.internal", "c1", flag)
	s.hold(0, 0, wellknown.KCMLease, "demo-cp-x7k2p_a", 1).hold(0, 0, wellknown.MigrationLease, "demo-cp-x7k2p_a", 1).hold(0, 0, wellknown.CCMLease, "demo-cp-9xk2p_b", 1)
	for _, stream := range []record.Stream{record.Leases, record.Pods} {
		s.at(0, record.Entry{Begun: &record.Begun{Stream: stream}})
	}
	for x := 2.0; x < 40; x += 2 {
		s.hold(x, 0, wellknown.KCMLease, "demo-cp-x7k2p_a", 1).hold(x+0.1, 0, wellknown.MigrationLease, "demo-cp-x7k2p_a", 1)
	}
	s.pod(41, record.Terminated, wellknown.KCM, "ip-0.ec2.internal", "k0")
	for x := 55.0; x < 80; x += 2 {
		s.hold(x, 55, wellknown.MigrationLease, "demo-cp-9xk2p_b", 2).hold(x+0.1, 0, wellknown.CCMLease, "demo-cp-9xk2p_b", 1)
	}
	return s
}

// If a host's name differs from its Node's, the container of its process is unknown, and so is
// what it runs. Rancher's record of the machine settles both.
func TestProcessOnAMachineOfRancher(t *testing.T) {
	known := []record.Machine{{Name: "m-0", Infrastructure: "demo-cp-x7k2p", Node: "ip-0.ec2.internal"}, {Name: "m-1", Infrastructure: "demo-cp-9xk2p", Node: "ip-1.ec2.internal"}}
	t.Run("an unknown machine", func(t *testing.T) {
		lane := onMachines("aws").judged().Lanes[0]
		if len(lane.Overlaps) != 1 || lane.Overlaps[0].Kind != Possible || lane.Intervals[0].Process.Container != "" {
			t.Errorf("%+v", lane)
		}
	})
	t.Run("Rancher says it", func(t *testing.T) {
		lane := onMachines("aws", known...).judged().Lanes[0]
		if len(lane.Overlaps) != 1 || lane.Overlaps[0].Kind != Excluded || lane.Intervals[0].Process.Container != "k0" || lane.Intervals[1].Process.Container != "c1" {
			t.Errorf("%+v", lane)
		}
	})
	t.Run("an external one on an unknown machine", func(t *testing.T) {
		lane := onMachines("external").judged().Lanes[0]
		if len(lane.Intervals) != 2 || lane.Intervals[0].Certain {
			t.Errorf("%+v", lane.Intervals)
		}
	})
	t.Run("an external one runs nothing", func(t *testing.T) {
		lane := onMachines("external", known...).judged().Lanes[0]
		if len(lane.Intervals) != 1 || lane.Intervals[0].Process.Identity != "demo-cp-9xk2p_b" || len(lane.Overlaps) != 0 {
			t.Errorf("%+v", lane)
		}
	})
}
