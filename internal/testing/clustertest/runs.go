package clustertest

import (
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Printed returns a journal with the fingerprint of nodes.
func Printed(t *testing.T, nodes ...continuity.NodePrint) journal.Record {
	t.Helper()
	tx := TxFor(t, migration.StepPreflight)
	NotePrint(t, tx, nodes...)
	return tx.Record()
}

// NotePrint records the fingerprint of nodes in the journal of tx.
func NotePrint(t *testing.T, tx *runner.Tx, nodes ...continuity.NodePrint) {
	t.Helper()
	packed, err := continuity.Fingerprint{Schema: 1, Nodes: nodes}.Encode()
	if err == nil {
		err = tx.Note(t.Context(), fingerprintNote, packed)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Prints returns the fingerprint of At's Nodes.
func Prints() []continuity.NodePrint {
	var all []continuity.NodePrint
	for _, node := range At(position.P0).Reading.Down.Nodes {
		all = append(all, continuity.NodePrint{Name: node.Name, UID: node.UID, ProviderID: node.ProviderID, ControlPlane: node.ControlPlane()})
	}
	return all
}

// ReasonOf returns the reason of a fault or the text of another error; it is empty without one.
func ReasonOf(err error) string {
	if f, ok := fault.As(err); ok {
		return f.Reason
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// ErrAway is the error of an unreachable server.
var ErrAway = errors.New("away")

// ErrOf returns the error of a call with two results.
func ErrOf[T any](_ T, err error) error { return err }

// Findings returns a bound check with these findings.
func Findings(meta verify.Meta, found ...verify.Finding) verify.Bound {
	if meta.ID == "" {
		meta.ID = "AWSM-999"
	}
	return verify.Bind(0, verify.Check[int]{Meta: meta, Judge: func(int) []verify.Finding { return found }})[0]
}

// Failing returns a check that fails.
func Failing() verify.Bound {
	return Findings(verify.Meta{}, verify.Finding{Status: verify.Fail, Object: "Node cp-0", Seen: "is bad", Wanted: "good"})
}

// Clock is a clock whose timers fire at once: each wait advances the time.
type Clock struct{ *clocktesting.FakeClock }

// NewClock returns a Clock that begins at Start.
func NewClock() Clock { return Clock{FakeClock: clocktesting.NewFakeClock(Start)} }

// NewTimer implements clock.WithTicker.
func (c Clock) NewTimer(d time.Duration) clock.Timer {
	t := c.FakeClock.NewTimer(d)
	c.Step(d)
	return t
}

// NewTicker implements clock.WithTicker.
func (c Clock) NewTicker(d time.Duration) clock.Ticker { return ticker{c, d} }

type ticker struct {
	clock Clock
	every time.Duration
}

// Stop implements clock.Ticker.
func (t ticker) Stop() {}

// C implements clock.Ticker.
func (t ticker) C() <-chan time.Time { return t.clock.NewTimer(t.every).C() }

// fingerprintNote is the journal's key for a fingerprint. It must not change, since journals of
// earlier releases have it.
const fingerprintNote = "fingerprint"

// TxFor returns the transaction of a step in the run "run", with lock and journal in memory.
// The journal contains intents.
func TxFor(t *testing.T, id journal.StepID, intents ...journal.Intent) *runner.Tx {
	t.Helper()
	return TxOf(t, "run", id, intents...)
}

// TxOf returns the same as TxFor for the given run.
func TxOf(t *testing.T, run string, id journal.StepID, intents ...journal.Intent) *runner.Tx {
	t.Helper()
	return TxInto(t, run, id, quiet{}, intents...)
}

// TxInto returns the same as TxOf and sends the run's events to sink.
func TxInto(t *testing.T, run string, id journal.StepID, sink runner.Sink, intents ...journal.Intent) *runner.Tx {
	t.Helper()
	kept := &journal.Memory{}
	options := runner.Options{RunID: run, Journal: kept, Lock: (&lock.Memory{}).For(lock.Owner{Run: run}), Sink: sink}
	err := options.Lock.Acquire(t.Context())
	if err == nil {
		err = kept.Commit(t.Context(), &journal.State{Intents: intents})
	}
	tx, made := runner.NewTx(t.Context(), runner.Info{ID: id}, options)
	if err := errors.Join(err, made); err != nil {
		t.Fatal(err)
	}
	return tx
}

// quiet discards events.
type quiet struct{}

func (quiet) Emit(runner.Event) {}

// Canceled returns a canceled context.
func Canceled(t *testing.T) context.Context {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	end()
	return ctx
}
