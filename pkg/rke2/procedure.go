package rke2

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Procedure is the migration of one RKE2 cluster. It implements
// runner.Procedure.
type Procedure struct {
	clients Clients
	options Options
	clock   clock.WithTicker
	target  runner.Target
	steps   []runner.Step
	started time.Time
	leases  map[string][]lease.Observation
	guard   Guard

	view   View // the last reading
	result position.Result
}

// New reads the cluster once, proves that the downstream cluster is the one
// that Rancher's object describes, and refuses what this tool cannot migrate.
func New(ctx context.Context, clients Clients, options Options, clk clock.WithTicker) (*Procedure, error) {
	p := &Procedure{clients: clients, options: options, clock: clk, started: clk.Now(), leases: map[string][]lease.Observation{}}
	facts, err := clients.Read(ctx, options.Namespace, options.Name, p.started)
	if err != nil {
		return nil, err
	}
	if err := Supported(facts); err != nil {
		return nil, err
	}
	system, err := clients.Downstream.CoreV1().Namespaces().Get(ctx, kubeSystem, metav1.GetOptions{})
	if err != nil {
		return nil, couldNotRead("Namespace kube-system of "+facts.object()+" (downstream)", err)
	}
	p.target = runner.Target{Kind: "rke2", Name: options.Name, Namespace: options.Namespace, UID: string(system.UID)}
	if err := p.read(ctx); err != nil {
		return nil, err
	}
	if err := ProveTarget(p.view.Machines, p.view.Down.MachineUIDs(), p.view.object()); err != nil {
		return nil, err
	}
	p.steps = p.makeSteps()
	return p, nil
}

// Target implements runner.Procedure.
func (p *Procedure) Target() runner.Target { return p.target }

// Steps implements runner.Procedure.
func (p *Procedure) Steps() []runner.Step { return p.steps }

// read reads both sides again.
func (p *Procedure) read(ctx context.Context) error {
	now := p.clock.Now()
	facts, err := p.clients.Read(ctx, p.options.Namespace, p.options.Name, now)
	if err != nil {
		return err
	}
	down, err := ReadDownstream(ctx, p.clients.Downstream)
	if err != nil {
		return err
	}
	p.view = View{Facts: facts, Down: down, Leases: p.observeLeases(down, p.clock.Since(p.started))}
	p.result = position.Compute(p.view.Evidence())
	return nil
}

// leaseWindow is how far back lease readings are compared: longer than a renew
// deadline, so that a holder which has not written for one is known to be dead.
const leaseWindow = 15 * time.Second

func (p *Procedure) observeLeases(down Downstream, at time.Duration) lease.Leases {
	series := func(name string) lease.Series {
		readings := append(p.leases[name], observeLease(down.Leases[name], at))
		for len(readings) > 1 && at-readings[0].At > leaseWindow {
			readings = readings[1:]
		}
		p.leases[name] = readings
		return lease.Series{First: readings[0], Last: readings[len(readings)-1]}
	}
	return lease.Leases{Migration: series(migrationLease), KCM: series(kcmLease), CCM: series(ccmLease)}
}

// Observe implements runner.Procedure. It reads until the leases were seen over
// long enough a time to tell a living holder from a dead one.
func (p *Procedure) Observe(ctx context.Context, record runner.Record) (runner.Observation, error) {
	if err := p.read(ctx); err != nil {
		return runner.Observation{}, err
	}
	if err := Supported(p.view.Facts); err != nil {
		return runner.Observation{}, err
	}
	return p.standing(record).judge(p.order())
}

func (p *Procedure) order() []runner.StepID {
	return order(p.options.InstallMethod, p.options.KubernetesVersion != "")
}

func (p *Procedure) standing(record runner.Record) standing {
	return standing{
		View: p.view, Result: p.result, Record: record, Options: p.options, Cordon: planCordon(p.view),
		OwnedBy: owner(p.view.Cluster), AtTarget: atVersion(p.view.Down.Nodes, p.options.KubernetesVersion),
	}
}

// endState chooses once per reading; the evidence does not change during a run
// unless somebody changes it, and then it has to be judged again.
func (p *Procedure) endState() (EndStateChoice, error) {
	if past, ok := p.pastEndState(); ok {
		return past, nil
	}
	return ChooseEndState(p.options.EndState, p.view.Down.Nodes)
}

// pastEndState is the end state that a switched cluster already has.
func (p *Procedure) pastEndState() (EndStateChoice, bool) {
	if p.result.Position < position.P4 || p.result.Position == position.Unknown {
		return EndStateChoice{}, false
	}
	for _, setting := range providersOf(p.view.Facts) {
		if setting == "external" {
			return EndStateChoice{EndExternal, "the cluster runs it"}, true
		}
	}
	return EndStateChoice{EndOverrides, "the cluster runs it"}, true
}

// Header describes cluster and position for people.
func (p *Procedure) Header() []string {
	planes, workers := 0, 0
	for _, m := range p.view.Machines {
		if m.ControlPlane() {
			planes++
		} else if m.Worker() {
			workers++
		}
	}
	rancher := "version unknown"
	if p.view.Rancher.OK() {
		rancher = p.view.Rancher.Value
	}
	end := "not decided"
	if choice, err := p.endState(); err == nil {
		end = fmt.Sprintf("%s (%s)", choice.State, choice.Why)
	}
	return []string{
		fmt.Sprintf("%s   %s · %s · RKE2 %s · %d control planes, %d workers · Rancher %s", p.options.Name, p.options.Namespace,
			p.view.Cluster.ManagementID, p.view.Cluster.Spec.KubernetesVersion, planes, workers, rancher),
		fmt.Sprintf("now    %s   %s", p.result.Position, p.result.Summary),
		"end    " + end,
	}
}

// Paused says whether somebody has stopped Rancher from rolling this cluster.
func (p *Procedure) Paused() string {
	switch {
	case p.view.ControlPlane.Paused:
		return pausedText(p.view.ControlPlane)
	case p.view.CAPIPaused:
		return "the CAPI Cluster is paused"
	}
	return ""
}

// requireRest stops before a write unless everything is where it should be.
func (p *Procedure) requireRest() error {
	problems := p.view.AtRest()
	problems = append(problems, p.nodesAtRest()...)
	if len(problems) == 0 {
		return nil
	}
	return &fault.Error{Class: fault.Check, Reason: "NotAtRest", Object: p.view.object(),
		Seen: SummariseUnrest(problems), Wanted: "a cluster at rest before anything is written",
		Fix: "wait until Rancher shows it as Active, or mend what is named, then run again"}
}

// nodesAtRest: a Node that is not Ready would come back with old arguments.
func (p *Procedure) nodesAtRest() []Unrest {
	var problems []Unrest
	for i := range p.view.Down.Nodes {
		node := &p.view.Down.Nodes[i]
		if !nodeReady(node) {
			problems = append(problems, Unrest{Object: "Node " + node.Name, Seen: "is not Ready", Wanted: "Ready"})
		}
		for _, taint := range node.Spec.Taints {
			if taint.Key == "node.cloudprovider.kubernetes.io/shutdown" {
				problems = append(problems, Unrest{Object: "Node " + node.Name, Seen: "its instance is shut down", Wanted: "a running instance"})
			}
		}
	}
	return problems
}
