package board

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

var begin = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

var allSteps = []journal.StepID{"preflight", "etcd-snapshot", "lease-access", "enable-leader-migration", "cordon", "install-ccm",
	"switch-provider", "uncordon", "verify", "disable-leader-migration"}

// aheadOfSwitch has a planned time for each step but one that takes none.
var aheadOfSwitch = []runner.StepCost{{Step: "switch-provider", Takes: 720, Rolls: 6}, {Step: "uncordon", Takes: 1}, {Step: "verify", Takes: 10}, {Step: "disable-leader-migration", Takes: 180}}

// after returns a time of the sample run.
func after(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }

// play returns the state after events.
func play(events ...runner.Event) State {
	var s State
	for _, e := range events {
		s = s.After(e)
	}
	return s
}

func rolling(at int, planes, workers string, leader *runner.Leader) runner.Event {
	w := &runner.Wait{For: "every machine to take the edit",
		Seen:  "Rancher: configuring worker node(s) demo-w-6f5c9-hpn2n: waiting for probes: kubelet; demo-w-6f5c9-hpn2n: its kubelet has provider \"aws\"; 2 others wait",
		Since: after(438), LastProgress: after(at - 6), Until: after(at - 6).Add(15 * time.Minute), Leader: leader}
	add := func(states, prefix string, names []string, group runner.MachineGroup, doing string) {
		for i, c := range states {
			m := runner.Machine{Name: prefix + names[i], Group: group, State: runner.MachineWaits}
			switch c {
			case 'x':
				m.State = runner.MachineDone
			case '>':
				m.State, m.Doing = runner.MachineChanging, doing
			case '?':
				m.State = runner.MachineUnseen
			}
			w.Machines = append(w.Machines, m)
		}
	}
	add(planes, "demo-cp-7dd8547d54-", []string{"jmzz9", "p5vxv", "cgkfl"}, runner.ControlPlanes, "kube-controller-manager restarting")
	add(workers, "demo-w-6f5c9-", []string{"hpn2n", "w7s97", "vv2xk"}, runner.Workers, "kubelet restarting")
	return runner.Event{Type: runner.StepWaiting, Step: "switch-provider", Time: after(at), Waiting: w}
}

func ccmOn(host string, at int) *runner.Leader {
	return &runner.Leader{Component: "aws-cloud-controller-manager", Host: host, ID: host + "_1", Renewed: after(at)}
}

// sample returns a run in the middle of its switch, 550 s after its start. Its sentences differ from the
// product's, so that rewording a step changes no frame.
func sample() State {
	events := []runner.Event{{Type: runner.RunStarted, Time: begin, Steps: allSteps}}
	for _, id := range allSteps[:6] {
		events = append(events, runner.Event{Type: runner.StepStarted, Step: id, Time: after(10)}, runner.Event{Type: runner.StepFinished, Step: id, Time: after(430)})
	}
	return play(append(events,
		runner.Event{Type: runner.StepStarted, Step: "switch-provider", Title: "title of switch-provider", Time: after(438), Ahead: aheadOfSwitch},
		rolling(440, "...", "...", &runner.Leader{Component: "kube-controller-manager", Host: "jmzz9", ID: "jmzz9_0", Renewed: after(439)}),
		rolling(442, ">..", "...", nil),
		rolling(470, "x>.", "...", ccmOn("jmzz9", 459)),
		rolling(505, "xx>", "...", ccmOn("jmzz9", 504)),
		rolling(536, "xxx", ">..", ccmOn("jmzz9", 535)),
		rolling(549, "xxx", ">..", ccmOn("jmzz9", 549)))...)
}
