package rke

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// observed holds one reading of a cluster.yml and of the files next to it.
type observed struct {
	rkestate.Facts
	record            journal.Record // the journal at the time of the reading
	noRKEUp, snapshot bool           // options of the user
	ended             string         // token of the `rke up` that succeeded in this run, or empty
}

// FactsOf returns the facts of a snapshot, from a cluster.yml or from Rancher.
func FactsOf(snap migration.Snapshot) rkestate.Facts {
	c, known := snap.Config.(interface{ RKE() rkestate.Facts })
	if !known {
		return rkestate.Facts{}
	}
	return c.RKE()
}

// Combine implements migration.Config.
func (o observed) Combine(down downstream.Cluster) migration.Reading {
	r := ReadingOf(o.Facts, down, o.unfinishedReason())
	r.Places, r.Snapshot, r.Roller = o.places(), o.snapshotState(), runner.Roller{Name: "rke"} // a child process of the run
	return r
}

// requireApplied returns an error if no `rke up` has ever finished the control plane.
func requireApplied(f rkestate.Facts) error {
	if !f.State.Current.Known {
		return &fault.Error{Class: fault.Check, Reason: "NeverApplied", Object: f.State.Source,
			Seen: "has no currentState: no `rke up` has ever finished its control plane", Wanted: "a running RKE cluster"}
	}
	return nil
}

// places returns the digest of the whole file; see migration.CompareBeginning.
func (o observed) places() map[string]migration.Place {
	if o.File == nil {
		return nil
	}
	traces := stepTrace(o.Config, migration.StepEnable) != "" || stepTrace(o.Config, migration.StepSwitch) != ""
	return map[string]migration.Place{filepath.Base(o.Path): {Digest: yamltext.Digest(o.File.Text()), Traces: traces}}
}

// snapshotState returns the state of the etcd snapshot from the journal. The cluster does not
// show it.
func (o observed) snapshotState() runner.State {
	var done upRecord
	taken, _ := o.record.NoteInto(snapshotNote, &done)
	switch {
	case !o.snapshot:
		return runner.State{Kind: runner.Skipped, Reason: "without --etcd-snapshot"}
	case taken && done.OK && slices.ContainsFunc(o.record.SinceUndo(), func(i journal.Intent) bool { return i.Token == done.Token }):
		return runner.State{Kind: runner.Done, Reason: fmt.Sprintf("rke ended well at %s", done.Time)}
	}
	return runner.State{Kind: runner.Todo}
}
