package rke2

import (
	"context"
	"fmt"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Procedure is the migration of one RKE2 cluster. It implements
// runner.Procedure, and is the Side of its own Core.
type Procedure struct {
	*migration.Core
	clients Clients
	options Options
	target  runner.Target
	steps   []runner.Step
	facts   Facts // the last reading of Rancher's side
	// kubelets are those of control planes, by Machine UID, as this run saw them.
	kubelets map[string]kubelet
	exits    map[string]exits // the same, of their kube-controller-managers
}

// New reads the cluster once, proves that the downstream cluster is the one
// that Rancher's object describes, and refuses what this tool cannot migrate.
func New(ctx context.Context, clients Clients, options Options, clk clock.WithTicker) (*Procedure, error) {
	p := &Procedure{clients: clients, options: options, kubelets: map[string]kubelet{}, exits: map[string]exits{}}
	p.Core = &migration.Core{Kube: clients.Downstream, Config: clients.DownstreamConfig, Options: options.Options,
		Clock: clk, Side: p, Distribution: wellknown.RKE2}
	p.Begin()
	if err := p.Look(ctx); err != nil {
		return nil, err
	}
	if err := p.Supported(); err != nil {
		return nil, err
	}
	uid, err := p.ClusterUID(ctx)
	if err != nil {
		return nil, err
	}
	p.target = runner.Target{Kind: "rke2", Name: options.Name, Namespace: options.Namespace, UID: uid}
	if err := p.Read(ctx); err != nil {
		return nil, err
	}
	if err := ProveTarget(p.facts.Machines, machineUIDs(p.Reading.Down), p.facts.object()); err != nil {
		return nil, err
	}
	p.steps = p.makeSteps()
	return p, nil
}

// Target implements runner.Procedure.
func (p *Procedure) Target() runner.Target { return p.target }

// Steps implements runner.Procedure.
func (p *Procedure) Steps() []runner.Step { return p.steps }

// endState chooses once per reading; the evidence does not change during a run
// unless somebody changes it, and then it has to be judged again.
func (p *Procedure) endState() (EndStateChoice, error) {
	return endStateOf(p.facts, p.Switched(), p.options.EndState, p.Reading.Down.Nodes)
}

func endStateOf(f Facts, switched bool, wanted EndState, nodes []downstream.Node) (EndStateChoice, error) {
	if past, ok := pastEndState(f, switched); ok {
		return past, nil
	}
	return ChooseEndState(wanted, nodes)
}

// pastEndState is the end state that a switched cluster already has.
func pastEndState(f Facts, switched bool) (EndStateChoice, bool) {
	if !switched {
		return EndStateChoice{}, false
	}
	for _, setting := range providersOf(f) {
		if setting == "external" {
			return EndStateChoice{EndExternal, "the cluster runs it"}, true
		}
	}
	return EndStateChoice{EndOverrides, "the cluster runs it"}, true
}

// Header describes cluster and position for people.
func (p *Procedure) Header() []string {
	rancher := "version unknown"
	if p.facts.Rancher.OK() {
		rancher = p.facts.Rancher.Value
	}
	end := "not decided"
	if choice, err := p.endState(); err == nil {
		end = fmt.Sprintf("%s (%s)", choice.State, choice.Why)
	}
	return []string{
		fmt.Sprintf("%s   %s · %s · RKE2 %s · %s · Rancher %s", p.options.Name, p.options.Namespace,
			p.facts.Cluster.ManagementID, p.facts.Cluster.Spec.KubernetesVersion, p.Reading.CountMembers(), rancher),
		fmt.Sprintf("now    %s   %s", p.Result.Position, p.Result.Summary),
		"end    " + end,
	}
}

// Paused says whether somebody has stopped Rancher from rolling this cluster.
func (p *Procedure) Paused() string {
	if open := p.facts.paused(); len(open) > 0 {
		return open[0].Seen
	}
	return ""
}
