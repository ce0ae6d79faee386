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

// Backend hides the differences between provisioners: the place of a cluster's configuration,
// the form of an edit, and the evidence that an edit was applied.
type Backend interface {
	Editor
	// Read reads the configuration once.
	Read(ctx context.Context, record journal.Record) (Config, error)
	// Header describes cluster and position in a few lines for people.
	Header(seen Snapshot) []string
	// Choices returns the options that shape the migration, by flag.
	Choices() map[string]string
	// CloudConfig returns the in-tree provider's cloud config, which the CCM takes over, or "".
	CloudConfig(ctx context.Context, seen Snapshot) (string, error)
	// Evidence adds the backend's own facts to the check input. What it cannot read is in them.
	Evidence(ctx context.Context, seen Snapshot, input *evidence.Input)
	// Checks returns the backend's own checks, bound to the facts that were read.
	Checks(seen Snapshot, input evidence.Input, prepared Prepared) []verify.Bound
	// Decide fixes, from the gathered facts, the decisions that the rest of a run follows.
	Decide(seen Snapshot, input evidence.Input)
	// PauseRollout pauses the rollout and describes what it did; see runner.Procedure. again
	// observes the cluster once more.
	PauseRollout(ctx context.Context, tx *runner.Tx, seen Snapshot, again func(context.Context) (Snapshot, error)) (done string, err error)
	// EncodeBundle encodes the input of the backend's checks, so that they can be repeated
	// without a cluster. writes reports whether a later step of the run writes. Secrets go
	// through the Redactor.
	EncodeBundle(seen Snapshot, writes bool, r *bundle.Redactor) ([]byte, error)
	// TakeSnapshot returns the edit that takes an etcd snapshot, or an error of class Usage if
	// awsmigrate takes none of such a cluster.
	TakeSnapshot(seen Snapshot) (Edit, error)
	// JudgeSnapshot judges the etcd snapshot of this run.
	JudgeSnapshot(ctx context.Context, tx *runner.Tx, seen Snapshot) (runner.Verdict, error)
	// Document returns the edit that installs the last of documents on top of the previous
	// ones. If the last document is empty, the edit removes the chart. It returns an error of
	// class Usage if the configuration has no place for a document.
	Document(seen Snapshot, documents ...string) (Edit, error)
	// Handoff returns the writer that hands edits off to the configuration's owner, or nil if
	// no owner keeps the configuration elsewhere.
	Handoff() Handoff
}

// Handoff writes an edit as text for the configuration's owner, who commits it.
type Handoff interface {
	// Forms returns the names of the supported text forms.
	Forms() []string
	// Marked reports whether a form can carry the lines of head.
	Marked(form string) bool
	// Fragment returns the edit of the last of steps, as Editor.Edit computes it, below the
	// lines of head. It returns "" if the configuration already has the edit, and an error of
	// class Usage if the form is unknown.
	Fragment(ctx context.Context, seen Snapshot, form string, head []string, steps ...Editing) (string, error)
	// Published returns the fragment for a place that others can read. If the edit contains
	// secrets, it returns instructions for printing the fragment instead.
	Published(ctx context.Context, seen Snapshot, form string, head []string, steps ...Editing) (string, error)
	// Drift returns the locations of the configuration that differ from the edit
	// that a step announced last. It returns none if the step announced no edit.
	Drift(seen Snapshot, step journal.StepID) ([]string, error)
}

// Config is an immutable reading of a cluster's stored configuration.
type Config interface {
	// Combine joins the configuration with the facts of the cluster itself.
	Combine(down downstream.Cluster) Reading
}
