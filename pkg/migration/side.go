package migration

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Side is what differs between clusters by how they were made: where their
// configuration is kept, how it is changed, and what shows that it was applied.
type Side interface {
	// Look reads the configuration's side once.
	Look(ctx context.Context) error
	// Combine puts what Look saw and the cluster itself together. It reads nothing.
	Combine(down Downstream) Reading
	// Supported refuses a cluster that the procedure does not fit.
	Supported() error
	// CloudConfig is the in-tree provider's, to be carried over to the CCM; "": none.
	CloudConfig(ctx context.Context) (string, error)
	// Checks are the side's own, bound to what was read.
	Checks(ctx context.Context, input *checks.Input, prepared Prepared) []verify.Bound
	// SnapshotState says whether the etcd snapshot is done, with the position
	// that counts as reached.
	SnapshotState(record runner.Record, reached position.Position) runner.State
	// Rolls says whether others go on with a step's change after our write.
	Rolls(step runner.StepID) bool
	// Tell puts what is not at rest into one line.
	Tell(open []Unrest) string
	// Keep writes down what the side's checks judge, so that they can be made again
	// without a cluster. Secrets go through the Redactor.
	Keep(r *bundle.Redactor) ([]byte, error)
	// UndoSteps are the steps that take the side's edits back, by ID.
	UndoSteps() map[runner.StepID]func(Base) runner.Step
	// InstalledAs says by which method the chart is, or last was, in the cluster.
	InstalledAs() InstallMethod
	// Document is how the chart is installed as a document of the side's own
	// configuration instead of by Helm; nil: there is no such way.
	Document() DocumentInstaller
}

// DocumentInstaller puts the chart into a cluster as a document of its configuration.
type DocumentInstaller interface {
	PlanDocument(document string) ([]runner.Change, error)
	ApplyDocument(ctx context.Context, tx *runner.Tx, document string) error
	// RemoveDocument takes it out again.
	RemoveDocument(ctx context.Context, tx *runner.Tx) error
}
