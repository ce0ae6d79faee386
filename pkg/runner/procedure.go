package runner

import (
	"context"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Procedure is a list of steps, and how the cluster that they change is observed. S is
// what one observation yields: a value, which nothing that is read later changes.
type Procedure[S any] interface {
	// Target names the cluster for people and pins the journal to it.
	Target() journal.Target
	// Steps are in the order in force for this cluster and these options.
	Steps() []Step[S]
	// Observe reads the cluster once.
	Observe(ctx context.Context, journal journal.Record) (S, error)
	// Judge says of what was observed whether every step is done. It reads nothing.
	// The journal may only settle what no cluster can show: that a mixture of
	// two positions is our own half-done step, and that a snapshot was ours.
	Judge(seen S) (Observation, error)
	// Basis is what an approval of a plan is bound to besides what it writes: the
	// cluster, the goal, the options. The engine adds the epoch.
	Basis(seen S) Basis
	// Header describes what was observed in a few lines, for people.
	Header(seen S) []string
	// Leader is who does what no two may do at once, by what was observed.
	Leader(seen S) Leader
	// Precheck says why nothing may be begun, before anybody is asked to approve it.
	// It writes nothing, not even a lock.
	Precheck(ctx context.Context, seen S, says Observation) error
	// Brake keeps the outside world from going on with an edit that proved
	// wrong, and says what it did. It is called at most once per run, with what was
	// observed when the cause was found.
	Brake(ctx context.Context, tx *Tx, seen S, cause error) (done string, err error)
}

// Observation is what one observation of the cluster says about every step.
type Observation struct {
	Position string                   `json:"position"` // e.g. "P2"
	Summary  string                   `json:"summary"`  // e.g. "flag on every KCM"
	States   map[journal.StepID]State `json:"states"`
}

// Pending says whether a step is left that writes.
func (o Observation) Pending() bool {
	for _, state := range o.States {
		if state.Kind.writes() {
			return true
		}
	}
	return false
}

// InProgress says whether a step was begun and not finished.
func (o Observation) InProgress() bool {
	for _, state := range o.States {
		if state.Kind == InProgress {
			return true
		}
	}
	return false
}

// State is how far one step is.
type State struct {
	Kind   StateKind `json:"kind"`
	Reason string    `json:"reason,omitempty"` // evidence for Done, why for Skipped
}

// StateKind enumerates State.
type StateKind string

const (
	// Todo steps are run, in order.
	Todo StateKind = "todo"
	// InProgress steps were begun by us and are taken up again: Do is called
	// again and must find out what is left of it.
	InProgress StateKind = "in-progress"
	// Done steps are shown and not run.
	Done StateKind = "done"
	// Skipped steps do not apply here; Reason says why.
	Skipped StateKind = "skipped"
	// Always steps only read, are run in every run, and alone make no run: the
	// lock is taken only if some step is Todo or InProgress.
	Always StateKind = "always"
)

// Info describes a step without a cluster.
type Info struct {
	ID           journal.StepID `json:"id"`
	Title        string         `json:"title"`
	Doc          string         `json:"doc"`                    // page under docs/, e.g. "steps/switch-provider.md"
	Irreversible string         `json:"irreversible,omitempty"` // why there is no way back; empty: there is one
}

// Step is one step of a procedure. What it is given of the cluster was observed
// immediately before the call.
type Step[S any] interface {
	Info() Info
	// Plan computes the exact changes. It never writes.
	Plan(ctx context.Context, seen S) (Plan, error)
	// Do makes them. Each side effect goes through tx.Effect, which commits the
	// intent to the journal first. Do is called again after a crash at any
	// point of it, and then finds from the cluster what is left to do. A step that
	// only reads (Always) is never asked.
	Do(ctx context.Context, tx *Tx, seen S) error
	// Verify judges. The engine observes and calls it until it is Met often enough
	// in a row, or failed.
	Verify(ctx context.Context, tx *Tx, seen S) (Verdict, error)
}

// WaitingStep is a Step with something to do while it waits, such as giving back in
// the middle of a long roll what is no longer needed. WhileWaiting is called after every
// verdict that is Waiting, with what that verdict is about.
type WaitingStep[S any] interface {
	WhileWaiting(ctx context.Context, tx *Tx, seen S) error
}

// Finisher is a Step that has work of its own under way while it waits, such as a
// child process. However the step ends, Finish is called once before the run
// leaves it. A graceful end lets the work end by itself and says so; otherwise it
// is asked to stop. A second interrupt ends ctx, and with it all patience.
type Finisher interface {
	Finish(ctx context.Context, tx *Tx, graceful bool) error
}

// Settler is a Step that keeps something in the journal once it was seen to its end, and
// only then: while it waits, what it sees may still be undone by others.
type Settler interface {
	Settle(ctx context.Context, tx *Tx) error
}

// Plan is what a step would do.
type Plan struct {
	Summary []string `json:"summary"`           // one line per effect, as in "snapshot generation 3 → 4"
	Changes []Change `json:"changes,omitempty"` // exact changes
	Rolls   int      `json:"rolls,omitempty"`   // machines that restart something
	Takes   About    `json:"takesSeconds,omitempty"`
	Pauses  Pauses   `json:"pauses,omitzero"`
	Notes   []string `json:"notes,omitempty"` // what a reader should know before saying yes
}

// Change is one exact change to one object.
type Change struct {
	Object   string `json:"object"`             // "Cluster fleet-default/demo"
	Location string `json:"location,omitempty"` // field path inside it
	Before   any    `json:"before,omitempty"`
	After    any    `json:"after,omitempty"`
	Diff     string `json:"diff,omitempty"` // unified, for people
	Result   string `json:"result,omitempty"`
	SHA256   string `json:"sha256,omitempty"`
	// Form says how Diff is written, for views.
	Form DiffForm `json:"-"`
}

// DiffForm is how the diff of a Change is written.
type DiffForm int

const (
	// FieldDiff has the lines of one field, each behind its sign.
	FieldDiff DiffForm = iota
	// FileDiff is a unified diff of a text that a person keeps: two lines that name the
	// file, then hunks. Every line of it counts for whoever approves.
	FileDiff
	// ObjectDiff is a unified diff of an object that Helm renders from a chart.
	ObjectDiff
)

// Verdict is the judgement of one reading while a step waits.
type Verdict struct {
	Kind VerdictKind
	// WaitingFor and Seen are for people: "3 control planes to run with the
	// flag", "2/3; ip-10-0-2-12: kube-controller-manager restarting".
	WaitingFor, Seen string
	// Progress is any text that changes exactly when something moved (a machine
	// changed its plan state, a Node became Ready, a lease changed holder).
	// The time without progress is measured between its changes.
	Progress    string
	Done, Total int
	// Machines are those that the step changes; none where it changes none.
	Machines []Machine
	// Counted: Seen says already how many of Total are Done, and no view needs to.
	Counted bool
	// By is who carries out what is waited for, whoever has begun it.
	By Roller
	// AtRest: nobody carries out anything any more. A run that ends with it leaves no roll,
	// and a guard with it has not seen the step to its end.
	AtRest bool
	// Err says why, for Failed and Braked; its class decides the exit code. For
	// Waiting it is what seems to hold it up and may pass by itself: the run ends
	// with it should nothing move for the timeout.
	Err error
	// Evidence is what proved it, one fact a line, for Met.
	Evidence []string
	// Compared is how much is as it was before the first run, for Met.
	Compared []Compared
	// Stable is how many reads in a row must be Met, at least 1; 0 means the
	// engine's default.
	Stable int
	// Steady asks that Progress stays as it is for some time before this verdict
	// counts; zero: it counts at once.
	Steady Steady
}

// Steady is for how long something must not change, in a run's own observations. The
// time begins with the first verdict that asks for it, and again with every change.
type Steady struct {
	For  time.Duration
	What string // is waited for meanwhile, for people
}

// VerdictKind enumerates Verdict.
type VerdictKind string

const (
	// Met says that what the step awaits holds in this reading.
	Met VerdictKind = "met"
	// Waiting says not yet, nothing wrong.
	Waiting VerdictKind = "waiting"
	// Failed names a cause that waiting does not put right; stop, nothing to hold back.
	Failed VerdictKind = "failed"
	// Braked says that going on would do harm: call Procedure.Brake, then stop.
	Braked VerdictKind = "braked"
)
