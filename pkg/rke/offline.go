package rke

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkechecks"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Offline holds the plan that is derived from cluster.yml alone.
type Offline struct {
	// Report holds the checks that the file alone decides, and Undecided the IDs of the
	// others.
	Report    verify.Report
	Undecided []string
	Names     naming.NameAssumption
	Steps     []runner.PlannedStep
	// Err explains why no run could begin with this file, or is nil.
	Err error
}

// OfflinePlan runs the checks of a migration on a cluster.yml and computes its edits, without a
// cluster. It returns a *fault.Error of class Usage if the file cannot be read or edited. The
// plan has no steps if the cluster cannot be migrated.
func OfflinePlan(ctx context.Context, options Options) (Offline, error) {
	file, err := clusterfile.Read(options.Config)
	if err != nil {
		return Offline{}, err
	}
	var plan Offline
	plan.Names = naming.Assume(file.Config(), options.KubernetesVersion)
	var refused error
	plan.Steps, refused = offlineSteps(file, plan.Names.Rule(), options)
	p := rkechecks.Prepared{Facts: rkestate.Facts{Path: options.Config, File: file, Config: file.Config()}, Options: options.ofChecks(), Offline: true, EditErr: refused}
	report := verify.RunAll(ctx, verify.Bind(p, rkechecks.All()...), verify.Options{Position: position.Unknown, AlsoAt: possiblePositions(file.Config()),
		Skip: filterSkips(options.Skip)})
	plan.Report, plan.Undecided = splitDecided(report)
	plan.Err = audit.JudgeReport(plan.Report, options.Options)
	switch {
	case slices.ContainsFunc(plan.Report.With(verify.Fail), func(r verify.Result) bool { return r.Unsupported || r.NoPlan }):
		plan.Steps = []runner.PlannedStep{}
	case refused != nil:
		return Offline{}, refused // names the line of the file
	}
	return plan, nil
}

// OfflineCluster describes a cluster by its cluster.yml alone.
type OfflineCluster struct {
	Name, Version string
	InTree        bool // whether the in-tree provider aws runs
	Checks        []verify.Bound
}

// ReadOffline reads a cluster.yml, without a cluster. It returns a *fault.Error of class Usage if
// the file cannot be read.
func ReadOffline(path string) (OfflineCluster, error) {
	file, err := clusterfile.Read(path)
	if err != nil {
		return OfflineCluster{}, err
	}
	config := file.Config()
	p := rkechecks.Prepared{Facts: rkestate.Facts{Path: path, File: file, Config: config}, Offline: true}
	return OfflineCluster{Name: path, Version: config.KubernetesVersion, InTree: config.CloudProvider.Resolved() == rkestate.ProviderAWS,
		Checks: verify.Bind(p, rkechecks.All()...)}, nil
}

// possiblePositions returns the possible positions of a cluster with this file.
func possiblePositions(c clusterfile.Config) []position.Position {
	if c.CloudProvider.Resolved() == rkestate.ProviderExternal {
		return position.Switched()
	}
	return position.BeforeSwitch()
}

// filterSkips returns the skips without those of checks that need a cluster. Skips of unknown checks
// stay, so that they are refused.
func filterSkips(skips map[string]string) map[string]string {
	out := maps.Clone(skips)
	for _, meta := range rkechecks.Metas() {
		if !slices.ContainsFunc(rkechecks.All(), func(c verify.Check[rkechecks.Prepared]) bool { return c.ID == meta.ID }) {
			delete(out, meta.ID)
		}
	}
	return out
}

// splitDecided separates the checks that the file decides from those that need the cluster.
func splitDecided(all verify.Report) (report verify.Report, undecided []string) {
	report = verify.Report{Position: all.Position, Results: []verify.Result{}, Counts: map[verify.Status]int{}, Partial: all.Partial, Refused: all.Refused}
	undecided = []string{}
	for _, result := range all.Results {
		if result.Status == verify.Unknown && result.Reason == rkechecks.NeedsCluster {
			undecided = append(undecided, result.ID)
			continue
		}
		report.Results = append(report.Results, result)
		report.Counts[result.Status]++
	}
	return report, undecided
}

// offlineSteps returns the pending edits. After the switch, only the flag remains to be
// removed: the file contains the naming rule, which no plan changes.
func offlineSteps(file *clusterfile.File, names naming.Rule, options Options) ([]runner.PlannedStep, error) {
	steps := []runner.PlannedStep{}
	var made yamltext.Made
	add := func(id journal.StepID, compute func() (clusterfile.Edit, error)) error {
		edit, err := compute()
		if err != nil || edit.Empty() {
			return err
		}
		if id == migration.StepEnable {
			made = edit.Made
		}
		steps = append(steps, plannedEdit(id, options.Config, edit))
		file, err = clusterfile.Parse(options.Config, edit.After)
		return err
	}
	if file.Config().CloudProvider.Resolved() == rkestate.ProviderExternal {
		if err := add(migration.StepSwitch, func() (clusterfile.Edit, error) { return file.Edit(yamltext.Delete(flagPath...)) }); err != nil {
			return nil, err
		}
	} else {
		if err := add(migration.StepEnable, func() (clusterfile.Edit, error) { return enableEdit(file) }); err != nil {
			return nil, err
		}
		if err := add(migration.StepSwitch, func() (clusterfile.Edit, error) { return switchEdit(file, names, made) }); err != nil {
			return nil, err
		}
	}
	if options.KubernetesVersion != "" {
		if err := add(migration.StepUpgrade, func() (clusterfile.Edit, error) { return upgradeEdit(file, options.KubernetesVersion) }); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

func plannedEdit(id journal.StepID, path string, edit clusterfile.Edit) runner.PlannedStep {
	added, removed := edit.Lines()
	step := runner.PlannedStep{State: runner.State{Kind: runner.Todo},
		Plan: runner.Plan{Summary: []string{fmt.Sprintf("~ %s (+%d −%d)", path, added, removed)}, Changes: changeOf(path, edit)}}
	for _, info := range procedure.StepInfos() {
		if info.ID == id {
			step.Info = info
		}
	}
	return step
}
