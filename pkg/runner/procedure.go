package runner

import (
	"context"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Procedure lists the steps, and observes the cluster that they change. S is the result of one
// observation: a value that never changes afterwards.
type Procedure[S any] interface {
	// Target returns the cluster's name for people, and the UID that the journal belongs to.
	Target() journal.Target
	// Steps returns the steps in the order for this cluster and these options.
	Steps() []Step[S]
	// Observe reads the cluster once.
	Observe(ctx context.Context, journal journal.Record) (S, error)
	// Judge returns the state of every step in an observation. It reads nothing. It may use the
	// journal only for what no cluster shows: that a mixture of two positions is this procedure's
	// unfinished step, and that a snapshot was taken by it.
	Judge(snap S) (Observation, error)
	// Basis returns what an approval depends on besides the changes: the cluster, the goal, the
	// options. The engine adds the epoch.
	Basis(snap S) Basis
	// Header describes the observation in a few lines for people.
	Header(snap S) []string
	// Leader returns the observed holder of the role that only one process may have.
	Leader(snap S) Leader
	// Precheck returns an error if nothing may begin; it is called before a person is asked to
	// approve. It writes nothing, not even a lock.
	Precheck(ctx context.Context, snap S, obs Observation) error
	// PauseRollout pauses the rollout of a harmful edit, and describes what it did. It is called at most
	// once per run, with the observation in which the cause was found.
	PauseRollout(ctx context.Context, tx *Tx, snap S, cause error) (done string, err error)
}

// Observation holds the state of every step in one observation of the cluster.
type Observation struct {
	Position string                   `json:"position"` // e.g. "P2"
	Summary  string                   `json:"summary"`  // e.g. "flag on every KCM"
	Words    string                   `json:"-"`        // the position for people, or empty
	States   map[journal.StepID]State `json:"states"`
}

// Pending reports whether a step that writes is left.
func (o Observation) Pending() bool {
	for _, state := range o.States {
		if state.Kind.writes() {
			return true
		}
	}
	return false
}

// InProgress reports whether a step was begun and not finished.
func (o Observation) InProgress() bool {
	for _, state := range o.States {
		if state.Kind == InProgress {
			return true
		}
	}
	return false
}

// State describes the progress of one step.
type State struct {
	Kind   StateKind `json:"kind"`
	Reason string    `json:"reason,omitempty"` // evidence for Done, cause for Skipped
	// Open describes what keeps an InProgress step from being Done, or is empty if unknown.
	Open string `json:"-"`
}

// StateKind enumerates State.
type StateKind string

const (
	// Todo steps are run in order.
	Todo StateKind = "todo"
	// InProgress steps were begun by awsmigrate and continue. Do is called again and must find
	// out the rest.
	InProgress StateKind = "in-progress"
	// Done steps are shown and not run.
	Done StateKind = "done"
	// Skipped steps do not apply; Reason holds the cause.
	Skipped StateKind = "skipped"
	// Always steps only read. Every run runs them, but they do not start a run: the lock is taken
	// only if a step is Todo or InProgress.
	Always StateKind = "always"
)

// Info describes a step independently of a cluster.
type Info struct {
	ID           journal.StepID `json:"id"`
	Title        string         `json:"title"`
	Doc          string         `json:"doc"`                    // page under docs/, e.g. "steps/switch-provider.md"
	Irreversible string         `json:"irreversible,omitempty"` // why the step cannot be undone; empty if it can
}

// Step is one step of a procedure. The engine observes the cluster immediately before each call.
type Step[S any] interface {
	Info() Info
	// Plan returns the exact changes. It never writes.
	Plan(ctx context.Context, snap S) (Plan, error)
	// Do makes the changes. Each side effect goes through tx.Effect, which first commits the
	// intent to the journal. After a crash at any point Do is called again, and finds from the
	// cluster the remaining work. It is never called for a step that only reads (Always).
	Do(ctx context.Context, tx *Tx, snap S) error
	// Verify judges one observation. The engine calls it until enough consecutive verdicts are
	// Met, or one has failed.
	Verify(ctx context.Context, tx *Tx, snap S) (Verdict, error)
}

// WaitingStep is a Step that acts while it waits, such as releasing resources during a long
// rollout. WhileWaiting is called after every Waiting verdict, with its observation.
type WaitingStep[S any] interface {
	WhileWaiting(ctx context.Context, tx *Tx, snap S) error
}

// Finisher is a Step with its own work, such as a child process, that continues while the step
// waits. Finish is called once before the run leaves the step, however it ends. If graceful is
// true, the work may end normally; otherwise it is asked to stop. A second interrupt ends ctx.
type Finisher interface {
	Finish(ctx context.Context, tx *Tx, graceful bool) error
}

// Settler is a Step that writes to the journal only after it was seen completed. While it waits,
// others may still undo what it sees.
type Settler interface {
	Settle(ctx context.Context, tx *Tx) error
}

// Plan describes what a step would do.
type Plan struct {
	Summary []string `json:"summary"`           // one line per effect, e.g. "snapshot generation 3 → 4"
	Changes []Change `json:"changes,omitempty"` // exact changes
	Rolls   int      `json:"rolls,omitempty"`   // number of machines that restart a component
	Takes   About    `json:"takesSeconds,omitempty"`
	Pauses  Pauses   `json:"pauses,omitzero"`
	Notes   []string `json:"notes,omitempty"` // for the person who approves
}

// Change describes one exact change of one object.
type Change struct {
	Object   string `json:"object"`             // "Cluster fleet-default/demo"
	Location string `json:"location,omitempty"` // field path in the object
	Before   any    `json:"before,omitempty"`
	After    any    `json:"after,omitempty"`
	Diff     string `json:"diff,omitempty"` // for people: unified
	// Result is the file as it will be. No document holds it: a file such as cluster.yml has keys and
	// passwords. SHA256 stands for it.
	Result string `json:"-"`
	SHA256 string `json:"sha256,omitempty"` // of the file as it will be
	// Form is the form of Diff, for views.
	Form DiffForm `json:"-"`
}

// DiffForm is the form of a Change's Diff.
type DiffForm int

const (
	// FieldDiff has the lines of one field, each with its sign.
	FieldDiff DiffForm = iota
	// FileDiff is a unified diff of a file that a person maintains: two header lines with the
	// file's name, then hunks. Every line matters for approval.
	FileDiff
	// ObjectDiff is a unified diff of an object that Helm renders from a chart.
	ObjectDiff
)

// Verdict judges one observation while a step waits.
type Verdict struct {
	Kind VerdictKind
	// WaitingFor and Seen are for people: "3 control planes to run with the flag", "2/3;
	// ip-10-0-2-12: kube-controller-manager restarting".
	WaitingFor, Seen string
	// Progress is a text that changes exactly when something progresses (a machine changed its
	// plan state, a Node became Ready, a lease changed holder). The time without progress is
	// measured between its changes.
	Progress    string
	Done, Total int
	// Machines lists the machines that the step changes, if any.
	Machines []Machine
	// Counted reports whether Seen already contains Done and Total.
	Counted bool
	// By is the program that carries out the awaited change, regardless of the run that started it.
	By Roller
	// AtRest reports whether no program carries out anything. A run that ends with it leaves no
	// rollout, and a guard that ends with it has not seen the step completed.
	AtRest bool
	// Err is the cause of a Failed or MustPause verdict. Its class decides the exit code. For Waiting it is a
	// possible obstacle that may pass: the run ends with it if nothing progresses until the
	// timeout.
	Err error
	// Evidence lists the proofs of Met, one fact a line.
	Evidence []string
	// Compared holds, for Met, comparisons with the state before the first run.
	Compared []Compared
	// Stable is the number of consecutive reads that must be Met, or 0 for the engine's default.
	Stable int
	// Steady requires that Progress stays unchanged for some time before this verdict counts.
	// Zero requires nothing.
	Steady Steady
}

// Steady is a time during which nothing may change in this run's own observations. The time
// begins with the first verdict that requires it, and again with every change.
type Steady struct {
	For  time.Duration
	What string // the condition to become steady, for people
}

// VerdictKind enumerates Verdict.
type VerdictKind string

const (
	// Met means that the observation shows what the step awaits.
	Met VerdictKind = "met"
	// Waiting means that something is missing and nothing is wrong.
	Waiting VerdictKind = "waiting"
	// Failed means that waiting does not help. The run stops; there is nothing to pause.
	Failed VerdictKind = "failed"
	// MustPause means that continuing would do harm: the engine calls Procedure.PauseRollout, then stops.
	MustPause VerdictKind = "braked"
)
