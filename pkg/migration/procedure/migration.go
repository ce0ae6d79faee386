package procedure

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/migration/chart"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Migration migrates a cluster that a Backend configures, or undoes a migration. It implements
// runner.Procedure.
type Migration struct {
	migration.Access
	Backend migration.Backend
	Guard   guard.Guard

	target  journal.Target
	isUndo  bool // runs the undo
	isGuard bool // watches for runner.Guard, and writes nothing forward
	// journalUnread reports whether the journal could not be read.
	journalUnread bool
	history       history
}

// New returns a Migration. It reads nothing before Open.
func New(access migration.Access, backend migration.Backend) *Migration {
	return &Migration{Access: access, Backend: backend, history: history{started: access.Clock.Now(),
		rollout: &rolloutMemory{applied: map[journal.StepID]migration.Config{}}}}
}

// Open observes the cluster once and makes it the target. Kind and names are the Backend's, and config
// is what it has just read. The UID is from kube-system of the cluster.
func (m *Migration) Open(ctx context.Context, target journal.Target, config migration.Config) (migration.Snapshot, error) {
	var err error
	if target.UID, err = m.ClusterUID(ctx); err != nil {
		return migration.Snapshot{}, err
	}
	m.target = target
	return m.observe(ctx, func(ctx context.Context) (migration.Snapshot, error) { return m.read(ctx, journal.Record{}, config) })
}

// Target implements runner.Procedure.
func (m *Migration) Target() journal.Target { return m.target }

// Judge implements runner.Procedure.
func (m *Migration) Judge(snap migration.Snapshot) (runner.Observation, error) {
	if m.isUndo {
		return m.progress(snap).undoStates(m.order())
	}
	if err := snap.Reading.Unsupported; err != nil {
		return runner.Observation{}, err
	}
	return m.progress(snap).states(m.forwardOrder())
}

// The goals of a procedure, as basis and journal hold them.
const (
	GoalMigrate = "migrate"
	GoalUndo    = "undo"
)

// Basis implements runner.Procedure.
func (m *Migration) Basis(snap migration.Snapshot) runner.Basis {
	basis := runner.Basis{Object: snap.Reading.ObjectUID, Cluster: m.target.UID, Goal: GoalMigrate, Options: m.Backend.Choices()}
	if m.isUndo {
		basis.Goal = GoalUndo
	}
	return basis
}

// Header implements runner.Procedure.
func (m *Migration) Header(snap migration.Snapshot) []string {
	lines := m.Backend.Header(snap)
	if m.isUndo {
		return undoHeader(lines)
	}
	return lines
}

// Leader implements runner.Procedure.
func (m *Migration) Leader(snap migration.Snapshot) runner.Leader { return snap.CloudControllers() }

// PauseRollout implements runner.Procedure.
func (m *Migration) PauseRollout(ctx context.Context, tx *runner.Tx, snap migration.Snapshot, _ error) (string, error) {
	return m.Backend.PauseRollout(ctx, tx, snap, func(ctx context.Context) (migration.Snapshot, error) { return m.Observe(ctx, tx.Record()) })
}

// Steps implements runner.Procedure.
func (m *Migration) Steps() []migration.Step {
	ids := m.order()
	steps := make([]migration.Step, 0, len(ids))
	for _, id := range ids {
		steps = append(steps, rowOf(id).make(base{Migration: m, ID: id}))
	}
	return steps
}

func (m *Migration) order() []journal.StepID {
	if m.isUndo {
		return undoOrder()
	}
	return m.forwardOrder()
}

// forwardOrder returns the steps of the migration in either direction of m.
func (m *Migration) forwardOrder() []journal.StepID {
	return order(m.Options)
}

// Chart returns the CCM chart of this cluster.
func (m *Migration) Chart() chart.Chart { return chart.Chart{Access: m.Access, Backend: m.Backend} }

func (m *Migration) auditor() audit.Auditor {
	return audit.Auditor{Access: m.Access, Backend: m.Backend}
}

// Gather reads all input of the checks; see audit.Auditor.
func (m *Migration) Gather(ctx context.Context, snap migration.Snapshot) (audit.Inspection, error) {
	return m.auditor().Gather(ctx, snap, m.Writes(snap))
}

// GatherAPIOnly reads the input of the checks that needs no observation of the cluster; see
// audit.Auditor.
func (m *Migration) GatherAPIOnly(ctx context.Context, record journal.Record) (audit.Inspection, error) {
	return m.auditor().GatherAPIOnly(ctx, record)
}

// Alone returns an error if another process runs controller managers for the cluster.
func (m *Migration) Alone(ctx context.Context, snap migration.Snapshot) error {
	return audit.Alone(ctx, m.Access, snap)
}

func (m *Migration) progress(snap migration.Snapshot) progress {
	return progress{
		Snapshot: snap, Options: m.Options, Cordon: guard.PlanCordon(snap.Reading).Without(guard.NewControlPlanes(snap)),
		AtTarget: snap.AtTarget(m.Options.KubernetesVersion),
	}
}

// Undo returns the procedure that rolls the migration back. It visits the positions in reverse
// and proves each before the next. It is a separate procedure over the same readings, so the
// engine's guarantees hold for it: intents before effects, resume, lock, pause.
func (m *Migration) Undo() *Migration {
	undo := *m
	undo.Options.KubernetesVersion = "" // an undo never upgrades
	undo.isUndo = true
	return &undo
}

// undoHeader adds the direction below cluster and position.
func undoHeader(lines []string) []string {
	return append(lines[:min(2, len(lines))], fmt.Sprintf("undo   back to %s   %s", position.P0, position.P0.Summary()))
}

// base holds what all steps share.
type base struct {
	*Migration

	ID journal.StepID
}

// Info implements runner.Step.
func (b base) Info() runner.Info { return rowOf(b.ID).info() }

// Plan implements runner.Step for steps that change nothing.
func (b base) Plan(context.Context, migration.Snapshot) (runner.Plan, error) {
	return runner.Plan{}, nil
}

// Do implements runner.Step for steps that change nothing.
func (b base) Do(context.Context, *runner.Tx, migration.Snapshot) error { return nil }

// Settle implements runner.Settler: the end of an undo step notes that its step is undone.
// Until then an owner may still apply the edit again. A guard notes nothing: rest is not the
// end of the step.
func (b base) Settle(ctx context.Context, tx *runner.Tx) error {
	if undone := undoneStep(b.ID); undone != "" && !b.isGuard {
		return noteUndone(ctx, tx, undone)
	}
	return nil
}

func noteUndone(ctx context.Context, tx *runner.Tx, steps ...journal.StepID) error {
	key, value := tx.Record().UndoneNote(steps...)
	return tx.Note(ctx, key, value)
}

// requireRest returns an error unless the cluster is at rest.
func (m *Migration) requireRest(snap migration.Snapshot) error {
	return snap.Reading.RequireSettled()
}
