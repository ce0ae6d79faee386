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

// Editor fakes a migration.Editor with a list of pending edits. It omits reading and all other
// methods of a Backend.
type Editor struct {
	migration.Backend
	Open   []migration.Edit // pending edits
	Rolled migration.Rollout
	Busy   bool
	Did    []string
	Asked  []migration.Editing // the steps of the last call of Edit
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
		if next.By == "" { // otherwise another writer reverts it at once
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

// Change returns an edit of one location.
func Change(at string) migration.Edit {
	return migration.Edit{Changes: []runner.Change{{Location: at}}}
}

// Side fakes a Backend whose reading is At, combined with the cluster's own facts. Its checks
// are Own. It omits the same methods as Editor.
type Side struct {
	*Editor
	Config SideConfig
	Lookup error
	Own    []verify.Bound
	Cloud  string // cloud config
	// CloudErr is the error of reading the cloud config.
	CloudErr error

	EndState evidence.EndState // added by Evidence
	Asked    []evidence.Input  // inputs of Checks, in order
	Decided  []evidence.Input  // inputs of Decide, in order
	Encoded  []bool            // argument writes of EncodeBundle, in order
}

// SideConfig is the configuration that a Side reads.
type SideConfig struct {
	At        position.Position
	Refused   error
	Installed migration.InstallMethod
	Pending   []migration.PendingCondition
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
func (s *Side) Evidence(_ context.Context, _ migration.Snapshot, input *evidence.Input) {
	input.EndState = s.EndState
}

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
	r.Pending = append(r.Pending, c.Pending...)
	return r
}
