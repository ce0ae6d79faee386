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
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
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
	return ReadingOf(o.Facts, down, o.unfinished())
}

// InstalledAs implements migration.Config.
func (observed) InstalledAs(journal.Record) migration.InstallMethod { return migration.InstallHelm }

// Supported implements migration.Config.
func (o observed) Supported() error { return EverApplied(o.Facts) }

// EverApplied refuses a cluster whose control plane no rke has finished.
func EverApplied(f rkestate.Facts) error {
	if !f.State.Current.Known {
		return &fault.Error{Class: fault.Check, Reason: "NeverApplied", Object: f.State.Source,
			Seen: "has no currentState: no `rke up` has ever finished its control plane", Wanted: "a running RKE cluster"}
	}
	return nil
}

// Places implements migration.Config: the text of the file as a whole.
func (o observed) Places() map[string]migration.Place {
	if o.File == nil {
		return nil
	}
	traces := inForce(o.Config, migration.StepEnable) != "" || inForce(o.Config, migration.StepSwitch) != ""
	return map[string]migration.Place{filepath.Base(o.Path): {Digest: yamltext.Digest(o.File.Text()), Traces: traces}}
}

// SnapshotState implements migration.Config. A snapshot leaves nothing in the
// cluster; the journal tells.
func (o observed) SnapshotState(record journal.Record, reached position.Position) runner.State {
	var done upRecord
	taken, _ := record.NoteInto(snapshotNote, &done)
	switch {
	case !o.snapshot:
		return runner.State{Kind: runner.Skipped, Reason: "without --etcd-snapshot"}
	case reached > position.P1:
		return runner.State{Kind: runner.Done, Reason: "the cluster is past it"}
	case taken && done.OK && slices.ContainsFunc(record.SinceUndo(), func(i journal.Intent) bool { return i.Token == done.Token }):
		return runner.State{Kind: runner.Done, Reason: fmt.Sprintf("rke ended well at %s", done.Time)}
	}
	return runner.State{Kind: runner.Todo}
}
