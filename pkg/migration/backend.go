package migration

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Backend is what differs between clusters by how they were made: where their
// configuration is kept, how it is changed, and what shows that it was applied.
type Backend interface {
	Editor
	// Read reads the configuration once.
	Read(ctx context.Context, record journal.Record) (Config, error)
	// Header describes cluster and position in a few lines, for people.
	Header(seen Snapshot) []string
	// Choices are the options that shape the migration, by flag; see Options.Choices.
	Choices() map[string]string
	// CloudConfig is the in-tree provider's, to be carried over to the CCM; "": none.
	CloudConfig(ctx context.Context, seen Snapshot) (string, error)
	// Evidence adds to what all checks judge what only the backend sees.
	Evidence(seen Snapshot, input *evidence.Input)
	// Checks are the backend's own, bound to what was read.
	Checks(seen Snapshot, input evidence.Input, prepared Prepared) []verify.Bound
	// Decide settles, by what was gathered, what the rest of a run keeps to.
	Decide(seen Snapshot, input evidence.Input)
	// Brake keeps whoever applies edits from going on, and says what it did; see
	// runner.Procedure. again observes once more.
	Brake(ctx context.Context, tx *runner.Tx, seen Snapshot, again func(context.Context) (Snapshot, error)) (done string, err error)
	// EncodeBundle writes down what the backend's checks judge, so that they can be made again
	// without a cluster. writes says whether the run has a step left that writes.
	// Secrets go through the Redactor.
	EncodeBundle(seen Snapshot, writes bool, r *bundle.Redactor) ([]byte, error)
	// TakeSnapshot returns the edit that takes an etcd snapshot, or an error of class Usage if
	// awsmigrate takes none of such a cluster.
	TakeSnapshot(seen Snapshot) (Edit, error)
	// JudgeSnapshot judges the etcd snapshot of this run.
	JudgeSnapshot(ctx context.Context, tx *runner.Tx, seen Snapshot) (runner.Verdict, error)
	// Document returns the edit that installs the chart as the last of documents, on top of
	// those before it, or takes it out if that is empty. It returns an error of class Usage if
	// the configuration has no place for a document.
	Document(seen Snapshot, documents ...string) (Edit, error)
	// Handoff writes edits down for whoever keeps the configuration elsewhere; nil: it
	// is not kept elsewhere.
	Handoff() Handoff
}

// Handoff writes an edit down instead of making it.
type Handoff interface {
	// Forms are those in which it can.
	Forms() []string
	// Marked reports whether a form has room for the lines of head.
	Marked(form string) bool
	// Fragment returns the edit of the last of steps, as Editor.Edit computes it, below the
	// lines of head; or "" if the configuration has it. An error of class Usage names an
	// unknown form.
	Fragment(ctx context.Context, seen Snapshot, form string, head []string, steps ...Editing) (string, error)
	// Published returns the same without secrets, for a place that others read. Where the
	// edit carries secrets over, it is a text that says how to print the fragment.
	Published(ctx context.Context, seen Snapshot, form string, head []string, steps ...Editing) (string, error)
	// Beside returns the locations of the configuration that are not as the edit of a step,
	// when it was announced last, would leave them; none of a step that was not announced.
	Beside(seen Snapshot, step journal.StepID) ([]string, error)
}

// Config is one reading of where a cluster's configuration is kept: a value.
type Config interface {
	// Combine puts it and the cluster itself together.
	Combine(down downstream.Cluster) Reading
}
