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

// Migration is a migration, or the undo of one, of a cluster that a Backend configures.
// It implements runner.Procedure.
type Migration struct {
	migration.Access
	Backend migration.Backend
	Guard   guard.Guard

	target  journal.Target
	back    bool // this is an undo
	watches bool // it writes nothing forward
	// unrecorded: the journal could not be read.
	unrecorded bool
	before     history
}

// New makes a migration. Nothing is read before Open.
func New(access migration.Access, backend migration.Backend) *Migration {
	return &Migration{Access: access, Backend: backend, before: history{started: access.Clock.Now(),
		rollout: &rolloutMemory{whole: map[journal.StepID]migration.Config{}}}}
}

// Open observes the cluster once, and makes it the target: kind and names are the
// Backend's, the UID is that of the cluster's kube-system.
func (m *Migration) Open(ctx context.Context, target journal.Target) (migration.Snapshot, error) {
	var err error
	if target.UID, err = m.ClusterUID(ctx); err != nil {
		return migration.Snapshot{}, err
	}
	m.target = target
	return m.Observe(ctx, journal.Record{})
}

// Target implements runner.Procedure.
func (m *Migration) Target() journal.Target { return m.target }

// Judge implements runner.Procedure.
func (m *Migration) Judge(seen migration.Snapshot) (runner.Observation, error) {
	if m.back {
		return m.progress(seen).undoStates(m.order())
	}
	if err := seen.Reading.Unsupported; err != nil {
		return runner.Observation{}, err
	}
	return m.progress(seen).states(m.forward())
}

// Basis implements runner.Procedure.
func (m *Migration) Basis(seen migration.Snapshot) runner.Basis {
	basis := runner.Basis{Object: seen.Reading.ObjectUID, Cluster: m.target.UID, Goal: "migrate", Options: m.Backend.Choices()}
	if m.back {
		basis.Goal = "undo"
	}
	return basis
}

// Header implements runner.Procedure.
func (m *Migration) Header(seen migration.Snapshot) []string {
	lines := m.Backend.Header(seen)
	if m.back {
		return undoHeader(lines)
	}
	return lines
}

// Leader implements runner.Procedure: who runs the cloud controllers.
func (m *Migration) Leader(seen migration.Snapshot) runner.Leader { return seen.CloudControllers() }

// Brake implements runner.Procedure.
func (m *Migration) Brake(ctx context.Context, tx *runner.Tx, seen migration.Snapshot, _ error) (string, error) {
	return m.Backend.Brake(ctx, tx, seen, func(ctx context.Context) (migration.Snapshot, error) { return m.Observe(ctx, tx.Record()) })
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
	if m.back {
		return undoOrder()
	}
	return m.forward()
}

// forward are the steps of the migration, whichever way m goes.
func (m *Migration) forward() []journal.StepID {
	return order(m.Options)
}

// Chart is the chart in this cluster.
func (m *Migration) Chart() chart.Chart { return chart.Chart{Access: m.Access, Backend: m.Backend} }

func (m *Migration) auditor() audit.Auditor {
	return audit.Auditor{Access: m.Access, Backend: m.Backend}
}

// Gather reads everything that checks judge; see Auditor.
func (m *Migration) Gather(ctx context.Context, seen migration.Snapshot) (audit.Inspection, error) {
	return m.auditor().Gather(ctx, seen, m.Writes(seen))
}

// GatherAPIOnly is what can be had where the cluster cannot be observed; see Auditor.
func (m *Migration) GatherAPIOnly(ctx context.Context, record journal.Record) (audit.Inspection, error) {
	return m.auditor().GatherAPIOnly(ctx, record)
}

// Alone says who else runs controller managers for the cluster; nil: nobody.
func (m *Migration) Alone(ctx context.Context, seen migration.Snapshot) error {
	return audit.Alone(ctx, m.Access, seen)
}

func (m *Migration) progress(seen migration.Snapshot) progress {
	return progress{
		Snapshot: seen, Options: m.Options, Cordon: guard.PlanCordon(seen.Reading).Without(guard.NewControlPlanes(seen)),
		AtTarget: seen.AtTarget(m.Options.KubernetesVersion),
	}
}

// Undo takes a migration back to where it began: the positions backwards, each
// proven before the next. It is a procedure of its own over the same readings, so
// that everything the engine promises of a migration holds for its undo: intents
// before effects, resume, lock, brake.
func (m *Migration) Undo() *Migration {
	undo := *m
	undo.Options.KubernetesVersion = "" // no undo upgrades anything
	undo.back = true
	return &undo
}

// undoHeader says the direction below cluster and position.
func undoHeader(lines []string) []string {
	return append(lines[:min(2, len(lines))], fmt.Sprintf("undo   back to %s   %s", position.P0, position.P0.Summary()))
}

// base is what every step shares.
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

// Settle implements runner.Settler: a step that takes another one back notes that nothing
// of it is left to take back. Before its end an owner may still put the edit in again. A
// guard watches a step to its rest, which is not its end.
func (b base) Settle(ctx context.Context, tx *runner.Tx) error {
	if undone := undoes(b.ID); undone != "" && !b.watches {
		return noteTakenBack(ctx, tx, undone)
	}
	return nil
}

func noteTakenBack(ctx context.Context, tx *runner.Tx, steps ...journal.StepID) error {
	key, value := tx.Record().TakenBack(steps...)
	return tx.Note(ctx, key, value)
}

// requireRest stops before a write unless everything is where it should be.
func (m *Migration) requireRest(seen migration.Snapshot) error {
	return seen.Reading.RequireSettled()
}
