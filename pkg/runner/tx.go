package runner

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// Tx is one step's access to the journal, the lock and the views. Several goroutines may use it.
type Tx struct {
	step   Info
	s      *session
	stop   *stopper
	gone   *stopper // the terminal is gone
	reads  bool     // the step only reads
	pauses bool     // the action is the pause, which an interrupt does not end
	warn   func(message string, lines []string)

	mu       sync.Mutex
	begun    bool // this run or an earlier one has changed something for the step
	warnings []string
	made     []Change
}

// NewTx returns a Tx for driving a single step outside of a run. It loads the journal; the caller
// must hold o.Lock.
func NewTx(ctx context.Context, step Info, o Options) (*Tx, error) {
	o = o.withDefaults()
	s := &session{o: o, writable: o.Lock != nil && o.Journal != nil}
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	tx := &Tx{step: step, s: s, stop: newStopper(o.Interrupt, func() {}), gone: newStopper(o.HangUp, func() {})}
	tx.warn = func(message string, lines []string) {
		o.Sink.Emit(Event{Time: o.Clock.Now(), Type: StepWarning, Step: step.ID, Title: step.Title, Message: message, Lines: lines})
	}
	return tx, nil
}

// Step returns the ID of the step that this Tx belongs to.
func (tx *Tx) Step() journal.StepID { return tx.step.ID }

// Run returns the ID of this run.
func (tx *Tx) Run() string { return tx.s.o.RunID }

// Now returns the time by the run's clock.
func (tx *Tx) Now() time.Time { return tx.s.o.Clock.Now() }

// Record returns a copy of the journal's current record.
func (tx *Tx) Record() journal.Record { return tx.s.record() }

// Effect makes one side effect: it proves the lock, commits the intent, and then calls do. After
// a clean stop was requested it begins nothing (class Interrupted); a running effect is not
// disturbed.
//
// Effect returns an error of do unchanged. If the error is transient, the effect may have
// happened: the step must observe, then decide.
func (tx *Tx) Effect(ctx context.Context, in journal.Intent, do func(context.Context) error) error {
	if tx.reads {
		return &fault.Error{Reason: "EffectInReadingStep", Object: "step " + string(tx.step.ID), Seen: "tried to make a change: " + in.What}
	}
	if tx.pauses {
		ctx = retry.WithoutStop(ctx)
	} else if tx.stop.requested() || tx.gone.requested() && !tx.hasBegun() {
		return retry.Stopped()
	}
	if err := tx.s.prove(ctx); err != nil {
		return fmt.Errorf("before %s: %w", in.What, err)
	}
	ctx = retry.WithoutStop(ctx)
	in.Step, in.Time, in.Run = tx.step.ID, tx.s.now(), tx.s.o.RunID
	announce := func(st *journal.State) {
		in.Epoch = st.Epoch
		st.Intents = addIntent(st.Intents, in)
	}
	if err := tx.s.change(ctx, announce); err != nil {
		return fmt.Errorf("before %s: %w", in.What, err)
	}
	// The commit may have waited for an API outage.
	if err := tx.s.prove(ctx); err != nil {
		return fmt.Errorf("before %s: %w", in.What, err)
	}
	tx.markBegun()
	return do(ctx)
}

// hasBegun reports whether something was changed for the step, so that its rollout must be watched.
func (tx *Tx) hasBegun() bool {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	return tx.begun
}

func (tx *Tx) markBegun() {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	tx.begun = true
}

// addIntent appends in, unless this run has committed an equal intent: a retried step must not
// grow the journal.
func addIntent(intents []journal.Intent, in journal.Intent) []journal.Intent {
	for _, old := range intents {
		same := old.Step == in.Step && old.Run == in.Run && old.What == in.What && old.Object == in.Object && old.Token == in.Token
		if same && (len(old.Inverse) == len(in.Inverse) && len(in.Inverse) == 0 || journal.SameJSON(old.Inverse, in.Inverse)) {
			return intents
		}
	}
	return append(intents, in)
}

// Note stores a small fact under key in the journal, for this run and later ones. It must never
// be a secret. In a run that only reads, it stays in memory.
func (tx *Tx) Note(ctx context.Context, key string, v any) error {
	if tx.s.writable {
		if err := tx.s.prove(ctx); err != nil {
			return fmt.Errorf("before noting %q: %w", key, err)
		}
	}
	return tx.s.note(retry.WithoutStop(ctx), key, v)
}

// NoteInto decodes the note under key into v. It returns false if there is no such note.
func (tx *Tx) NoteInto(key string, v any) (bool, error) { return tx.Record().NoteInto(key, v) }

// Warn reports a problem that stops nothing. It reports an equal message only once.
func (tx *Tx) Warn(message string, lines ...string) {
	tx.mu.Lock()
	for _, said := range tx.warnings {
		if said == message {
			tx.mu.Unlock()
			return
		}
	}
	tx.warnings = append(tx.warnings, message)
	tx.mu.Unlock()
	tx.warn(message, lines)
}

func (tx *Tx) reportedWarnings() []string {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	return append([]string(nil), tx.warnings...)
}

// Wrote records changes as made, for the event that ends the step.
func (tx *Tx) Wrote(changes ...Change) {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	tx.made = append(tx.made, changes...)
}

func (tx *Tx) reportedChanges() []Change {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	return slices.Clone(tx.made)
}
