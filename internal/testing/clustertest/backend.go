package clustertest

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Editor is a configuration that consists of a list of edits that are still to make. What
// it leaves out: reading, and everything that a Backend does besides.
type Editor struct {
	migration.Backend
	Open   []migration.Edit // still to make
	Rolled migration.Rollout
	Busy   bool
	Did    []string
	Asked  []migration.Editing // what Edit was asked for last
}

// Edit implements migration.Editor.
func (e *Editor) Edit(_ context.Context, _ migration.Snapshot, steps ...migration.Editing) (migration.Edit, error) {
	e.Asked = steps
	plan := func() (runner.Plan, error) { return runner.Plan{Notes: []string{"of the side"}}, nil }
	if len(e.Open) == 0 {
		return migration.Edit{Object: "Cluster demo", Plan: plan}, nil
	}
	next := e.Open[0]
	next.Object, next.Plan = "Cluster demo", plan
	next.Write = func(context.Context, *runner.Tx) error {
		e.Did = append(e.Did, "write "+next.Changes[0].Location)
		if next.By == "" { // else somebody takes it back at once
			e.Open = e.Open[1:]
		}
		return nil
	}
	return next, nil
}

// Apply implements migration.Editor.
func (e *Editor) Apply(context.Context, *runner.Tx, migration.Snapshot, migration.Editing) error {
	e.Did = append(e.Did, "apply")
	return nil
}

// Rollout implements migration.Editor.
func (e *Editor) Rollout(context.Context, *runner.Tx, migration.Snapshot, migration.Editing, migration.Config) (migration.Rollout, error) {
	return e.Rolled, nil
}

// WhileRolling implements migration.Editor.
func (e *Editor) WhileRolling(context.Context, *runner.Tx, migration.Snapshot, migration.Editing) (bool, error) {
	return e.Busy, nil
}

// Finish implements migration.Editor.
func (e *Editor) Finish(context.Context, *runner.Tx, journal.StepID, bool) error { return nil }

// Read implements migration.Backend.
func (e *Editor) Read(context.Context, journal.Record) (migration.Config, error) { return nil, ErrAway }

// Change is an edit of one place.
func Change(at string) migration.Edit {
	return migration.Edit{Changes: []runner.Change{{Location: at}}}
}

// Side is a configuration of which At is the reading, with the cluster as it was
// read. What it leaves out: all that an editor leaves out, and checks but those given.
type Side struct {
	*Editor
	Config SideConfig
	Lookup error
	Own    []verify.Bound
	Cloud  string // its cloud config
	// CloudErr: it cannot be read.
	CloudErr error

	EndState evidence.EndState // its Evidence
	Asked    []evidence.Input  // what its Checks were asked about, in order
	Decided  []evidence.Input
	Encoded  []bool // of EncodeBundle: whether the run writes
}

// SideConfig is what a Side reads.
type SideConfig struct {
	At        position.Position
	Refused   error
	Installed migration.InstallMethod
}

// Read implements migration.Backend.
func (s *Side) Read(context.Context, journal.Record) (migration.Config, error) {
	return s.Config, s.Lookup
}

// CloudConfig implements migration.Backend.
func (s *Side) CloudConfig(context.Context, migration.Snapshot) (string, error) {
	return s.Cloud, s.CloudErr
}

// Document implements migration.Backend.
func (s *Side) Document(migration.Snapshot, ...string) (migration.Edit, error) {
	return migration.Edit{}, migration.UsageError("flag --install-method", string(migration.InstallManifest), string(migration.InstallHelm))
}

// Evidence implements migration.Backend.
func (s *Side) Evidence(_ migration.Snapshot, input *evidence.Input) { input.EndState = s.EndState }

// Decide implements migration.Backend.
func (s *Side) Decide(_ migration.Snapshot, input evidence.Input) {
	s.Decided = append(s.Decided, input)
}

// Checks implements migration.Backend.
func (s *Side) Checks(_ migration.Snapshot, input evidence.Input, _ migration.Prepared) []verify.Bound {
	s.Asked = append(s.Asked, input)
	return s.Own
}

// EncodeBundle implements migration.Backend.
func (s *Side) EncodeBundle(_ migration.Snapshot, writes bool, _ *bundle.Redactor) ([]byte, error) {
	s.Encoded = append(s.Encoded, writes)
	return []byte("side"), nil
}

// Header implements migration.Backend.
func (s *Side) Header(migration.Snapshot) []string {
	return []string{"Cluster demo", "now    P4   external", "names  kept"}
}

// Choices implements migration.Backend.
func (s *Side) Choices() map[string]string { return nil }

// Handoff implements migration.Backend.
func (s *Side) Handoff() migration.Handoff { return nil }

// TakeSnapshot implements migration.Backend.
func (s *Side) TakeSnapshot(migration.Snapshot) (migration.Edit, error) {
	return migration.Edit{}, migration.UsageError("flag --etcd-snapshot", "given", "none")
}

// JudgeSnapshot implements migration.Backend.
func (s *Side) JudgeSnapshot(context.Context, *runner.Tx, migration.Snapshot) (runner.Verdict, error) {
	return runner.Verdict{}, migration.UsageError("flag --etcd-snapshot", "given", "none")
}

// Combine implements migration.Config.
func (c SideConfig) Combine(down downstream.Cluster) migration.Reading {
	r := At(c.At).Reading
	r.Down, r.Unsupported, r.InstalledAs, r.Roller = down, c.Refused, c.Installed, migration.ByRancher()
	return r
}
