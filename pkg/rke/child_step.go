package rke

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

const (
	// upNote is the journal's key for the last `rke up` that ended well. Nothing
	// in the cluster tells that its workers were reached.
	upNote = "rke-up"
	// snapshotNote is the same for `rke etcd snapshot-save`.
	snapshotNote = "rke-snapshot"
	// upToken begins the tokens of intents to run `rke up`.
	upToken = "up/"
)

// upRecord is how one run of rke ended.
type upRecord struct {
	Token string `json:"token"` // of the intent
	OK    bool   `json:"ok"`
	Time  string `json:"time"` // RFC 3339
}

type process = rkecli.Running

// child is an rke that this run started.
type child struct {
	process
	step  journal.StepID
	token string // of its intent
	again int    // how many more times rke has to run after it
}

// childOf is the rke that this run started for a step; nil: none.
func (b *Backend) childOf(step journal.StepID) *child {
	if b.child == nil || b.child.step != step {
		return nil
	}
	return b.child
}

// ended is the token of the `rke up` that this run saw end well, and that needs no
// second; "": none.
func (c *child) ended() string {
	if c == nil || c.Running() || c.Err() != nil || c.again > 0 {
		return ""
	}
	return c.token
}

// lastUp is the last `rke up` that the journal announced.
func lastUp(record journal.Record) (journal.Intent, bool) {
	for i := len(record.Intents) - 1; i >= 0; i-- {
		if strings.HasPrefix(record.Intents[i].Token, upToken) {
			return record.Intents[i], true
		}
	}
	return journal.Intent{}, false
}

// unfinished is why `rke up` has to run (again); "": it has not, or Rancher runs it.
func unfinished(seen migration.Snapshot) string {
	c, known := seen.Config.(interface{ unfinished() string })
	if !known {
		return ""
	}
	return c.unfinished()
}

func (o observed) unfinished() string {
	// With --no-rke-up it is a person who runs rke, and only the cluster tells.
	if intent, begun := lastUp(o.record); begun && intent.Token != o.ended && !o.noRKEUp && cutOff(o.record) {
		return fmt.Sprintf("`rke up` of %s was begun and has not ended well", intent.Time)
	}
	if lags := o.Lag(); lags != "" {
		return lags + ": `rke up` has not run since"
	}
	return ""
}

// cutOff says whether the last `rke up` that the journal announced did not end
// well: it may have been killed in the middle of a container.
func cutOff(record journal.Record) bool {
	intent, begun := lastUp(record)
	var ended upRecord
	known, err := record.NoteInto(upNote, &ended)
	return begun && (err != nil || !known || !ended.OK || ended.Token != intent.Token)
}

// start runs rke with args as a child, announced in the journal first.
func (b *Backend) start(ctx context.Context, tx *runner.Tx, seen migration.Snapshot, c child, args ...string) error {
	found := FactsOf(seen).Binary
	if !found.OK() {
		return cmp.Or[error](found.Err, &fault.Error{Class: fault.Usage, Reason: "NoRKE", Object: "rke",
			Seen: "was never looked for", Fix: "name it with --rke-binary"})
	}
	binary := found.Value.Path
	what := "run rke " + strings.Join(args, " ")
	log := fmt.Sprintf("%s.awsmigrate-%s.log", b.Options.Config, b.Options.RunID)
	intent := journal.Intent{What: what, Object: b.fileObject(), Token: c.token}
	return tx.Effect(ctx, intent, func(context.Context) error {
		var keep *os.File
		if b.deps.LockFile != nil {
			keep = b.deps.LockFile()
		}
		var err error
		if c.process, err = b.tool().Start(binary, args, log, b.deps.Live, keep, b.Access.Clock); err != nil {
			return err
		}
		b.child = &c
		return nil
	})
}

func (b *Backend) upArgs() []string {
	return append([]string{"up", "--config", b.Options.Config}, b.Options.RKEArgs...)
}

// gateUp is the gate of --no-rke-up.
func (b *Backend) gateUp() error {
	return &fault.Error{Class: fault.Gate, Reason: "RunRKEUp", Object: b.fileObject(),
		Seen: "it is edited and not applied; this run may not apply it (--no-rke-up)",
		Fix:  fault.Command(append([]string{"rke"}, b.upArgs()...)...) + "; then run the same command again"}
}

// childVerdict judges the rke of a step; nil: it has ended well, or there is none.
func (b *Backend) childVerdict(seen migration.Snapshot, step journal.StepID) *runner.Verdict {
	c := b.childOf(step)
	switch {
	case c == nil:
		return nil
	case c.Running():
		last, mark := c.Seen()
		return &runner.Verdict{Kind: runner.Waiting, WaitingFor: "rke to finish (its output: " + filepath.Base(c.LogPath()) + ")",
			Seen: migration.OrElse(last, "no output yet"), By: runner.Roller{Name: "rke"}, Progress: mark + seen.Reading.Progress()}
	case c.Err() != nil:
		v := migration.Failed(c.Err())
		return &v
	case c.again > 0:
		return &runner.Verdict{Kind: runner.Waiting, WaitingFor: "rke to run once more: the run before was cut off, and one alone may start what it had stopped",
			Seen: "it ended well", Progress: c.token}
	}
	return nil
}

// noteEnd puts into the journal that the rke of a step ended well, unless it is there:
// the cluster does not tell.
func (b *Backend) noteEnd(ctx context.Context, tx *runner.Tx, note string, step journal.StepID) error {
	c := b.childOf(step)
	if c == nil {
		return nil
	}
	var ended upRecord
	if known, err := tx.NoteInto(note, &ended); err != nil || known && ended.OK && ended.Token == c.token {
		return err
	}
	return tx.Note(ctx, note, upRecord{Token: c.token, OK: true, Time: tx.Now().UTC().Format(time.RFC3339)})
}

// endChild ends the rke of this run before the run leaves a step.
func (b *Backend) endChild(ctx context.Context, tx *runner.Tx, graceful bool) {
	if b.child == nil || !b.child.Running() {
		return
	}
	if graceful {
		tx.Warn("rke is let finish; Ctrl-C again interrupts it")
		select {
		case <-b.child.Done():
			return
		case <-ctx.Done():
		}
	}
	b.child.Interrupt()
	<-b.child.Done()
}
