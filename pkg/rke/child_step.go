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
	// upNote is the journal's key for the last successful `rke up`. Nothing in the cluster
	// shows that it reached the workers.
	upNote = "rke-up"
	// snapshotNote is the same for `rke etcd snapshot-save`.
	snapshotNote = "rke-snapshot"
	// upToken is the prefix of tokens of intents to run `rke up`.
	upToken = "up/"
)

// upRecord holds the result of one run of rke.
type upRecord struct {
	Token string `json:"token"` // of the intent
	OK    bool   `json:"ok"`
	Time  string `json:"time"` // RFC 3339
}

type process = rkecli.Running

// child describes an rke process that this run started.
type child struct {
	process
	step     journal.StepID
	token    string // of its intent
	runsLeft int    // number of further runs of rke that must follow
}

// childOf returns the rke that this run started for a step, or nil.
func (b *Backend) childOf(step journal.StepID) *child {
	if b.child == nil || b.child.step != step {
		return nil
	}
	return b.child
}

// endedToken returns the token of an `rke up` that succeeded in this run and needs no second run,
// or empty.
func (c *child) endedToken() string {
	if c == nil || c.Running() || c.Err() != nil || c.runsLeft > 0 {
		return ""
	}
	return c.token
}

// lastUp returns the last `rke up` that the journal announced.
func lastUp(record journal.Record) (journal.Intent, bool) {
	for i := len(record.Intents) - 1; i >= 0; i-- {
		if strings.HasPrefix(record.Intents[i].Token, upToken) {
			return record.Intents[i], true
		}
	}
	return journal.Intent{}, false
}

// unfinishedReason returns the reason why `rke up` must run (again), or empty if it must not or
// Rancher runs it.
func unfinishedReason(snap migration.Snapshot) string {
	c, known := snap.Config.(interface{ unfinishedReason() string })
	if !known {
		return ""
	}
	return c.unfinishedReason()
}

func (o observed) unfinishedReason() string {
	// With --no-rke-up a user runs rke, and only the cluster shows the result.
	if intent, begun := lastUp(o.record); begun && intent.Token != o.ended && !o.noRKEUp && wasCutOff(o.record) {
		return fmt.Sprintf("`rke up` of %s has not ended well yet", intent.Time)
	}
	if lags := o.Lag(); lags != "" {
		return lags + ": `rke up` has not run since"
	}
	return ""
}

// wasCutOff reports whether the last `rke up` that the journal announced did not succeed. It may
// have been killed between two operations on a container.
func wasCutOff(record journal.Record) bool {
	intent, begun := lastUp(record)
	var ended upRecord
	known, err := record.NoteInto(upNote, &ended)
	return begun && (err != nil || !known || !ended.OK || ended.Token != intent.Token)
}

// startRKE announces an rke process in the journal and starts it with args.
func (b *Backend) startRKE(ctx context.Context, tx *runner.Tx, snap migration.Snapshot, c child, args ...string) error {
	found := FactsOf(snap).Binary
	if !found.OK() {
		return cmp.Or[error](found.Err, &fault.Error{Class: fault.Usage, Reason: "NoRKE", Object: "rke",
			Seen: "was not searched", Fix: "name it with --rke-binary"})
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

// gateUp returns the error that stops a run with --no-rke-up.
func (b *Backend) gateUp() error {
	return &fault.Error{Class: fault.Gate, Reason: "RunRKEUp", Object: b.fileObject(),
		Seen: "it is edited and not applied; this run may not apply it (--no-rke-up)",
		Fix:  fault.Command(append([]string{"rke"}, b.upArgs()...)...) + "; then run the same command again"}
}

// childVerdict judges the rke of a step. It returns nil if rke succeeded or did not run.
func (b *Backend) childVerdict(snap migration.Snapshot, step journal.StepID) *runner.Verdict {
	c := b.childOf(step)
	switch {
	case c == nil:
		return nil
	case c.Running():
		last, mark := c.Seen()
		return &runner.Verdict{Kind: runner.Waiting, WaitingFor: "rke to finish (its output: " + filepath.Base(c.LogPath()) + ")",
			Seen: migration.OrElse(last, "no output yet"), By: runner.Roller{Name: "rke"}, Progress: mark + snap.Reading.Progress()}
	case c.Err() != nil:
		v := migration.Failed(c.Err())
		return &v
	case c.runsLeft > 0:
		return &runner.Verdict{Kind: runner.Waiting, WaitingFor: "rke to run once more: the previous run was cut off, and one run may only restart its stopped containers",
			Seen: "it ended well", Progress: c.token}
	}
	return nil
}

// recordEnd records in the journal that the rke of a step succeeded, since the cluster does not
// show it. It writes nothing if the journal has that record.
func (b *Backend) recordEnd(ctx context.Context, tx *runner.Tx, note string, step journal.StepID) error {
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

// endChild waits for the rke of this run, or interrupts it, before the run leaves a step.
func (b *Backend) endChild(ctx context.Context, tx *runner.Tx, graceful bool) {
	if b.child == nil || !b.child.Running() {
		return
	}
	if graceful {
		tx.Warn("rke finishes its work before the run ends")
		select {
		case <-b.child.Done():
			return
		case <-ctx.Done():
		}
	}
	b.child.Interrupt()
	<-b.child.Done()
}
