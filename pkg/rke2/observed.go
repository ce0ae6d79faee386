package rke2

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// observed holds one reading of Rancher's objects.
type observed struct {
	rancher.Facts
	record     journal.Record // the journal when Facts were read
	noSnapshot string         // why no etcd snapshot is taken, or empty
}

// reasonForNoSnapshot returns why no etcd snapshot is taken, or an empty string.
func reasonForNoSnapshot(o migration.Options) string {
	switch {
	case o.Snapshot:
		return ""
	case o.HandOver:
		return "off with --edits handoff; --etcd-snapshot takes one"
	}
	return "turned off with --no-etcd-snapshot"
}

// rancherFacts returns Rancher's facts from a snapshot.
func rancherFacts(snap migration.Snapshot) rancher.Facts {
	o, _ := snap.Config.(observed) // Read returns no other type
	return o.Facts
}

// Combine implements migration.Config.
func (o observed) Combine(down downstream.Cluster) migration.Reading {
	r := o.Facts.Combine(down)
	r.Unsupported, r.Places, r.InstalledAs, r.Snapshot = rancher.Supported(o.Facts), o.places(), o.installedAs(), o.snapshotState()
	r.Harm, r.Roller = o.harm(down), migration.ByRancher()
	return r
}

// places returns digests of the configuration by location; see migration.CompareBeginning.
func (o observed) places() map[string]migration.Place {
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

// snapshotState returns the state of the etcd snapshot that the journal announced.
func (o observed) snapshotState() runner.State {
	generation, taken := snapshotIntended(o.record)
	plane := o.ControlPlane
	switch {
	case o.noSnapshot != "":
		return runner.State{Kind: runner.Skipped, Reason: o.noSnapshot}
	case taken && plane.SnapshotGeneration >= generation && plane.SnapshotPhase == "Finished":
		return runner.State{Kind: runner.Done, Reason: fmt.Sprintf("snapshot of generation %d finished", generation)}
	case taken:
		return runner.State{Kind: runner.InProgress, Reason: fmt.Sprintf("snapshot of generation %d: %s", generation, plane.SnapshotPhase)}
	}
	return runner.State{Kind: runner.Todo}
}
