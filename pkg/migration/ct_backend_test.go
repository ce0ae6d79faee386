package migration

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// editor is a configuration that consists of a list of edits that are still to make. What
// it leaves out: reading, and everything that a Backend does besides.
type editor struct {
	Backend
	open    []Edit // still to make
	rollout Rollout
	busy    bool
	did     []string
}

func (e *editor) Edit(context.Context, Snapshot, journal.StepID) (Edit, error) {
	if len(e.open) == 0 {
		return Edit{Object: "Cluster demo"}, nil
	}
	next := e.open[0]
	next.Object = "Cluster demo"
	next.Write = func(context.Context, *runner.Tx) error {
		e.did = append(e.did, "write "+next.Changes[0].Location)
		if next.By == "" { // else somebody takes it back at once
			e.open = e.open[1:]
		}
		return nil
	}
	return next, nil
}

func (e *editor) PlanEdit(context.Context, Snapshot, journal.StepID) (runner.Plan, error) {
	return runner.Plan{Notes: []string{"of the side"}}, nil
}

func (e *editor) Apply(context.Context, *runner.Tx, Snapshot, journal.StepID) error {
	e.did = append(e.did, "apply")
	return nil
}

func (e *editor) Rollout(context.Context, *runner.Tx, Snapshot, journal.StepID) (Rollout, error) {
	return e.rollout, nil
}

func (e *editor) WhileRolling(context.Context, *runner.Tx, Snapshot, journal.StepID) (bool, error) {
	return e.busy, nil
}

func (e *editor) Finish(context.Context, *runner.Tx, journal.StepID, bool) error { return nil }

func (e *editor) Tell(open []Unrest) string { return TellUnrest(open) }

func (e *editor) Rolls(journal.StepID) bool { return true }

func (e *editor) Read(context.Context, journal.Record) (Config, error) { return nil, errAway }

func change(at string) Edit { return Edit{Changes: []runner.Change{{Location: at}}} }

// side is a configuration of which clusterAt is the reading, with the cluster as it was
// read. What it leaves out: all that an editor leaves out, and checks but those given.
type side struct {
	*editor
	config sideConfig
	lookup error
	checks []verify.Bound
	cloud  string // its cloud config
	// cloudErr: it cannot be read.
	cloudErr error
}

type sideConfig struct {
	restingConfig
	at          position.Position
	unsupported error
	installed   InstallMethod
}

func (s *side) Read(context.Context, journal.Record) (Config, error) { return s.config, s.lookup }

func (s *side) CloudConfig(context.Context, Snapshot) (string, error) {
	return s.cloud, s.cloudErr
}

func (s *side) Document() DocumentInstaller { return nil }

func (s *side) Evidence(Snapshot, *evidence.Input) {}

func (s *side) Decide(Snapshot, evidence.Input) {}

func (s *side) Checks(Snapshot, evidence.Input, Prepared) []verify.Bound {
	return s.checks
}

func (c sideConfig) Supported() error { return c.unsupported }

func (c sideConfig) InstalledAs(journal.Record) InstallMethod { return c.installed }

func (c sideConfig) Combine(down downstream.Cluster) Reading {
	r := clusterAt(c.at).Reading
	r.Down = down
	return r
}

// restingConfig is a configuration whose snapshot the journal alone tells of.
type restingConfig struct{ snapshot bool }

func (restingConfig) Combine(downstream.Cluster) Reading { return resting() }

func (restingConfig) Supported() error { return nil }

func (restingConfig) InstalledAs(journal.Record) InstallMethod { return InstallHelm }

func (c restingConfig) SnapshotState(record journal.Record, reached position.Position) runner.State {
	switch {
	case !c.snapshot:
		return runner.State{Kind: runner.Skipped}
	case reached > position.P1:
		return runner.State{Kind: runner.Done}
	case lastIntent(record) == StepSnapshot:
		return runner.State{Kind: runner.InProgress}
	}
	return runner.State{Kind: runner.Todo}
}

func lastIntent(record journal.Record) journal.StepID {
	if len(record.Intents) == 0 {
		return ""
	}
	return record.Intents[len(record.Intents)-1].Step
}
