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

// Tx is one step's access to the journal, the lock and the views. It may be
// used from several goroutines.
type Tx struct {
	step   Info
	s      *session
	stop   *stopper
	gone   *stopper // nobody watches any more
	reads  bool     // the step is one that only reads
	brakes bool     // the brake: not ended by an interrupt
	warn   func(message string, lines []string)

	mu       sync.Mutex
	begun    bool // something of the step was changed, by this run or by one before it
	warnings []string
	made     []Change
}

// NewTx is a Tx for step outside of a run, for driving a single step. It loads
// the journal; o.Lock must be held by the caller.
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

// Step is the step this Tx was made for.
func (tx *Tx) Step() journal.StepID { return tx.step.ID }

// Run is the ID of this run.
func (tx *Tx) Run() string { return tx.s.o.RunID }

// Now is the time by the run's clock.
func (tx *Tx) Now() time.Time { return tx.s.o.Clock.Now() }

// Record is a copy of what the journal holds now.
func (tx *Tx) Record() journal.Record { return tx.s.record() }

// Effect makes one side effect: it proves that the lock is ours, commits the
// intent, and only then calls do. Nothing is begun once a clean stop was asked
// for (class Interrupted); what was begun is not disturbed by it.
//
// An error of do is returned as it is. If it is Transient, the effect may have
// happened: the step observes, then decides.
func (tx *Tx) Effect(ctx context.Context, in journal.Intent, do func(context.Context) error) error {
	if tx.reads {
		return &fault.Error{Reason: "EffectInReadingStep", Object: "step " + string(tx.step.ID), Seen: "tried to make a change: " + in.What}
	}
	if tx.brakes {
		ctx = retry.WithoutStop(ctx)
	} else if tx.stop.requested() || tx.gone.requested() && !tx.holds() {
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
	// The commit may have waited for an API that was away.
	if err := tx.s.prove(ctx); err != nil {
		return fmt.Errorf("before %s: %w", in.What, err)
	}
	tx.hold()
	return do(ctx)
}

// holds says whether something of the step was changed, so that it has to be seen
// to its end.
func (tx *Tx) holds() bool {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	return tx.begun
}

func (tx *Tx) hold() {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	tx.begun = true
}

// addIntent appends in, unless this run announced exactly the same before: a
// step that is tried again must not make the journal grow.
func addIntent(intents []journal.Intent, in journal.Intent) []journal.Intent {
	for _, old := range intents {
		same := old.Step == in.Step && old.Run == in.Run && old.What == in.What && old.Object == in.Object && old.Token == in.Token
		if same && (len(old.Inverse) == len(in.Inverse) && len(in.Inverse) == 0 || journal.SameJSON(old.Inverse, in.Inverse)) {
			return intents
		}
	}
	return append(intents, in)
}

// Note keeps a small fact under key in the journal, for this run and later
// ones; never a secret. In a run that only looks it is kept for this run.
func (tx *Tx) Note(ctx context.Context, key string, v any) error {
	if tx.s.writable {
		if err := tx.s.prove(ctx); err != nil {
			return fmt.Errorf("before noting %q: %w", key, err)
		}
	}
	return tx.s.note(retry.WithoutStop(ctx), key, v)
}

// NoteInto decodes the fact under key into v; false if there is none.
func (tx *Tx) NoteInto(key string, v any) (bool, error) { return tx.Record().NoteInto(key, v) }

// Warn says something that stops nothing. The same message is said once.
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

func (tx *Tx) said() []string {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	return append([]string(nil), tx.warnings...)
}

// Wrote says that changes were made, for whoever is told that the step ended.
func (tx *Tx) Wrote(changes ...Change) {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	tx.made = append(tx.made, changes...)
}

func (tx *Tx) wrote() []Change {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	return slices.Clone(tx.made)
}
