package rke2

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// observed is one reading of Rancher's side.
type observed struct {
	Facts
	snapshot bool               // the user wants one
	kubelets map[string]kubelet // what this run had seen of them
}

// factsOf are those of Rancher's side that an observation holds.
func factsOf(seen migration.Snapshot) Facts {
	o, _ := seen.Config.(observed) // Look makes no other
	return o.Facts
}

// Look implements migration.Side.
func (p *Procedure) Look(ctx context.Context, _ journal.Record) (migration.Config, error) {
	facts, err := p.read(ctx)
	return observed{Facts: facts, snapshot: p.options.Snapshot, kubelets: maps.Clone(p.kubelets)}, err
}

func (p *Procedure) read(ctx context.Context) (Facts, error) {
	return p.clients.Read(ctx, p.options.Namespace, p.options.Name, p.Clock.Now())
}

// Combine implements migration.Config.
func (o observed) Combine(down downstream.Cluster) migration.Reading {
	r := reading(o.Facts, down)
	r.MayOutlive = slices.ContainsFunc(r.KCMs, func(k migration.KCM) bool { return !alone(o.kubelets, k) })
	return r
}

// Supported implements migration.Config.
func (o observed) Supported() error { return Supported(o.Facts) }

// Rolls implements migration.Side: Rancher goes on with every edit by itself.
func (p *Procedure) Rolls(step journal.StepID) bool {
	switch step {
	case StepEnable, StepSwitch, StepUpgrade:
		return true
	case StepInstall:
		return p.options.InstallMethod == InstallManifest
	}
	return false
}

// Tell implements migration.Side.
func (p *Procedure) Tell(open []Unrest) string { return SummariseUnrest(open) }

// SnapshotState implements migration.Config.
func (o observed) SnapshotState(record journal.Record, reached position.Position) runner.State {
	generation, taken := snapshotIntended(record)
	plane := o.ControlPlane
	switch {
	case !o.snapshot:
		return runner.State{Kind: runner.Skipped, Reason: "--no-etcd-snapshot"}
	case reached > position.P1:
		return runner.State{Kind: runner.Done, Reason: "the cluster is past it"}
	case taken && plane.SnapshotGeneration >= generation && plane.SnapshotPhase == "Finished":
		return runner.State{Kind: runner.Done, Reason: fmt.Sprintf("snapshot of generation %d finished", generation)}
	case taken:
		return runner.State{Kind: runner.InProgress, Reason: fmt.Sprintf("snapshot of generation %d: %s", generation, plane.SnapshotPhase)}
	}
	return runner.State{Kind: runner.Todo}
}

// Checks implements migration.Side.
func (p *Procedure) Checks(seen migration.Snapshot, input *evidence.Input, made migration.Prepared) []verify.Bound {
	prepared := prepare(factsOf(seen), seen.Reading, made, p.options, seen.Switched())
	input.EndState = evidence.EndState(prepared.Choice.State)
	input.Registries = registries(factsOf(seen), nodesOfMachines(seen.Reading.Down))
	return verify.Bind(prepared, Checks()...)
}

// prepare computes what the checks judge besides what was read.
func prepare(f Facts, r migration.Reading, made migration.Prepared, o Options, switched bool) Prepared {
	p := Prepared{Facts: f, Reading: r, Prepared: made, Options: o}
	p.Choice, p.ChoiceErr = endStateOf(f, switched, o.EndState, r.Down.Nodes)
	if p.ChoiceErr == nil && !switched {
		p.EditErr = tryEdits(f, p.Choice)
	}
	return p
}

// Prepared is what the checks of this package judge: Rancher's side, and what
// the steps to come would do.
type Prepared struct {
	Facts
	migration.Reading
	migration.Prepared
	Options   Options
	Choice    EndStateChoice
	ChoiceErr error
	EditErr   error // an edit to come cannot be computed
}

// tryEdits computes both edits, one after the other, without writing them.
func tryEdits(f Facts, choice EndStateChoice) error {
	spec := f.Cluster.Spec
	first, err := config.EnableLeaderMigration(spec, f.editMachines())
	if err != nil {
		return err
	}
	if spec, err = first.Apply(spec); err != nil {
		return err
	}
	_, err = config.SwitchProvider(spec, f.editMachines(), editState(choice))
	return err
}
