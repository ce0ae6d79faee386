package rke2

import (
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// observed is one reading of Rancher's side.
type observed struct {
	rancher.Facts
	snapshot bool               // the user wants one
	kubelets map[string]kubelet // what this run had seen of them
}

// factsOf are those of Rancher's side that an observation holds.
func factsOf(seen migration.Snapshot) rancher.Facts {
	o, _ := seen.Config.(observed) // Read makes no other
	return o.Facts
}

// Combine implements migration.Config.
func (o observed) Combine(down downstream.Cluster) migration.Reading {
	r := o.Facts.Combine(down)
	r.MayOutlive = slices.ContainsFunc(r.KCMs, func(k migration.KCM) bool { return !alone(o.kubelets, k) })
	return r
}

// Supported implements migration.Config.
func (o observed) Supported() error { return rancher.Supported(o.Facts) }

// Places implements migration.Config.
func (o observed) Places() map[string]migration.Place {
	spec, places := o.Cluster.Spec, map[string]migration.Place{}
	digests := spec.Places()
	for location, traces := range spec.Edited() {
		places[location] = migration.Place{Digest: digests[location], Traces: traces}
	}
	if _, found, err := edits.ChartManifest(spec, chartRef); spec.HasManifest {
		places["additionalManifest"] = migration.Place{Digest: notation.Digest(spec.AdditionalManifest), Traces: found && err == nil}
	}
	return places
}

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
