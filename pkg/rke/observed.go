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

// observed is one reading of a cluster.yml and what lies beside it.
type observed struct {
	rkestate.Facts
	record            journal.Record // the journal, when they were read
	noRKEUp, snapshot bool           // the user's choices
	ended             string         // token of the `rke up` that this run saw end well
}

// FactsOf are those that an observation holds, of a cluster.yml or of Rancher.
func FactsOf(seen migration.Snapshot) rkestate.Facts {
	c, known := seen.Config.(interface{ RKE() rkestate.Facts })
	if !known {
		return rkestate.Facts{}
	}
	return c.RKE()
}

// Combine implements migration.Config.
func (o observed) Combine(down downstream.Cluster) migration.Reading {
	r := ReadingOf(o.Facts, down, o.unfinished())
	r.Places, r.Snapshot, r.Roller = o.places(), o.snapshotState(), runner.Roller{Name: "rke"} // a child of its run
	return r
}

// everApplied refuses a cluster whose control plane no rke has finished.
func everApplied(f rkestate.Facts) error {
	if !f.State.Current.Known {
		return &fault.Error{Class: fault.Check, Reason: "NeverApplied", Object: f.State.Source,
			Seen: "has no currentState: no `rke up` has ever finished its control plane", Wanted: "a running RKE cluster"}
	}
	return nil
}

// places returns the text of the file as a whole; see migration.CompareBeginning.
func (o observed) places() map[string]migration.Place {
	if o.File == nil {
		return nil
	}
	traces := inForce(o.Config, migration.StepEnable) != "" || inForce(o.Config, migration.StepSwitch) != ""
	return map[string]migration.Place{filepath.Base(o.Path): {Digest: yamltext.Digest(o.File.Text()), Traces: traces}}
}

// snapshotState returns how far the etcd snapshot is. It leaves nothing in the cluster; the
// journal tells.
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
