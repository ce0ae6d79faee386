package rke2

import (
	"context"
	"fmt"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Procedure is the migration of one RKE2 cluster. It implements
// runner.Procedure, and is the Side of its own Core.
type Procedure struct {
	*migration.Core
	clients Clients
	options Options
	target  journal.Target
	steps   []migration.Step
	// kubelets are those of control planes, by Machine UID, as this run saw them.
	kubelets map[string]kubelet
	exits    map[string]exits // the same, of their kube-controller-managers
	placed   map[journal.StepID]placed
}

// New reads the cluster once, proves that the downstream cluster is the one
// that Rancher's object describes, and refuses what this tool cannot migrate.
func New(ctx context.Context, clients Clients, options Options, clk clock.WithTicker) (*Procedure, error) {
	p := &Procedure{clients: clients, options: options, kubelets: map[string]kubelet{}, exits: map[string]exits{}, placed: map[journal.StepID]placed{}}
	p.Core = &migration.Core{Kube: clients.Downstream, Config: clients.DownstreamConfig, Options: options.Options,
		Clock: clk, Side: p, Distribution: wellknown.RKE2}
	p.Begin()
	config, err := p.Look(ctx, journal.Record{})
	if err != nil {
		return nil, err
	}
	if err := config.Supported(); err != nil {
		return nil, err
	}
	uid, err := p.ClusterUID(ctx)
	if err != nil {
		return nil, err
	}
	p.target = journal.Target{Kind: "rke2", Name: options.Name, Namespace: options.Namespace, UID: uid}
	seen, err := p.Observe(ctx, journal.Record{})
	if err != nil {
		return nil, err
	}
	f := factsOf(seen)
	if err := ProveTarget(f.Machines, machineUIDs(seen.Reading.Down), f.object()); err != nil {
		return nil, err
	}
	p.steps = p.Core.Steps()
	return p, nil
}

// Target implements runner.Procedure.
func (p *Procedure) Target() journal.Target { return p.target }

// Undo is the procedure that takes this migration back.
func (p *Procedure) Undo() *migration.Undo { return migration.NewUndo(p, p.Core) }

// Steps implements runner.Procedure.
func (p *Procedure) Steps() []migration.Step { return p.steps }

// endState chooses once per reading; the evidence does not change during a run
// unless somebody changes it, and then it has to be judged again.
func (p *Procedure) endState(seen migration.Snapshot) (EndStateChoice, error) {
	return endStateOf(factsOf(seen), seen.Switched(), p.options.EndState, seen.Reading.Down.Nodes)
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
func (p *Procedure) Header(seen migration.Snapshot) []string {
	f := factsOf(seen)
	rancher := "version unknown"
	if f.Rancher.OK() {
		rancher = f.Rancher.Value
	}
	end := "not decided"
	if choice, err := p.endState(seen); err == nil {
		end = fmt.Sprintf("%s (%s)", choice.State, choice.Why)
	}
	return []string{
		fmt.Sprintf("%s   %s · %s · RKE2 %s · %s · Rancher %s", p.options.Name, p.options.Namespace,
			f.Cluster.ManagementID, f.Cluster.Spec.KubernetesVersion, seen.Reading.CountMembers(), rancher),
		fmt.Sprintf("now    %s   %s", seen.Result.Position, seen.Result.Summary),
		"end    " + end,
	}
}

// Paused says whether somebody has stopped Rancher from rolling this cluster.
func (p *Procedure) Paused(seen migration.Snapshot) string {
	if open := factsOf(seen).paused(); len(open) > 0 {
		return open[0].Seen
	}
	return ""
}
