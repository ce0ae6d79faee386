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
	"github.com/awsmigrate/awsmigrate/pkg/runner"
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

// lastUp is the last `rke up` that the journal announced.
func lastUp(record runner.Record) (runner.Intent, bool) {
	for i := len(record.Intents) - 1; i >= 0; i-- {
		if strings.HasPrefix(record.Intents[i].Token, upToken) {
			return record.Intents[i], true
		}
	}
	return runner.Intent{}, false
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
	if !o.noRKEUp && cutOff(o.record) {
		intent, _ := lastUp(o.record)
		return fmt.Sprintf("`rke up` of %s was begun and has not ended well", intent.Time)
	}
	if lags := o.Lag(); lags != "" {
		return lags + ": `rke up` has not run since"
	}
	return ""
}

// cutOff says whether the last `rke up` that the journal announced did not end
// well: it may have been killed in the middle of a container.
func cutOff(record runner.Record) bool {
	intent, begun := lastUp(record)
	var ended upRecord
	known, err := record.NoteInto(upNote, &ended)
	return begun && (err != nil || !known || !ended.OK || ended.Token != intent.Token)
}

// start runs rke with args as a child, announced in the journal first.
func (p *Procedure) start(ctx context.Context, tx *runner.Tx, seen migration.Snapshot, token string, args ...string) error {
	found := factsOf(seen).Binary
	if !found.OK() {
		return cmp.Or[error](found.Err, &fault.Error{Class: fault.Usage, Reason: "NoRKE", Object: "rke",
			Seen: "was never looked for", Fix: "name it with --rke-binary"})
	}
	binary := found.Value.Path
	what := "run rke " + strings.Join(args, " ")
	log := fmt.Sprintf("%s.awsmigrate-%s.log", p.options.Config, p.options.RunID)
	intent := runner.Intent{What: what, Object: p.fileObject(), Token: token}
	return tx.Effect(ctx, intent, func(context.Context) error {
		var keep *os.File
		if p.edges.Keep != nil {
			keep = p.edges.Keep()
		}
		child, err := p.tool().Start(binary, args, log, p.edges.Live, keep, p.Clock)
		if err != nil {
			return err
		}
		p.child = child
		return nil
	})
}

func (p *Procedure) upArgs() []string {
	return append([]string{"up", "--config", p.options.Config}, p.options.RKEArgs...)
}

// gateUp is the gate of --no-rke-up.
func (p *Procedure) gateUp() error {
	return &fault.Error{Class: fault.Gate, Reason: "RunRKEUp", Object: p.fileObject(),
		Seen: "it is edited and not applied; this run may not apply it (--no-rke-up)",
		Fix:  fault.Command(append([]string{"rke"}, p.upArgs()...)...) + "; then run the same command again"}
}

// childVerdict judges the child of this run; nil: it has ended well, or there is none.
func (p *Procedure) childVerdict(seen migration.Snapshot) *runner.Verdict {
	if p.child == nil {
		return nil
	}
	if p.child.Running() {
		last, mark := p.child.Seen()
		return &runner.Verdict{Kind: runner.Waiting, WaitingFor: "rke to finish (its output: " + filepath.Base(p.child.LogPath()) + ")",
			Seen: migration.OrElse(last, "no output yet"), By: runner.Roller{Name: "rke"}, Progress: mark + seen.Reading.Progress()}
	}
	if err := p.child.Err(); err != nil {
		v := migration.Failed(err)
		return &v
	}
	return nil
}

// noteEnd puts into the journal that the child of this run ended well, unless it is
// there: what was observed before does not know of it.
func (p *Procedure) noteEnd(ctx context.Context, tx *runner.Tx, note, token string) (noted bool, err error) {
	if p.child == nil {
		return false, nil
	}
	var ended upRecord
	if known, err := tx.NoteInto(note, &ended); err != nil || known && ended.OK && ended.Token == token {
		return false, err
	}
	return true, tx.Note(ctx, note, upRecord{Token: token, OK: true, Time: tx.Now().UTC().Format(time.RFC3339)})
}

// finish ends the child before the run leaves a step.
func (p *Procedure) finish(ctx context.Context, tx *runner.Tx, kindly bool) error {
	if p.child == nil || !p.child.Running() {
		return nil
	}
	if kindly {
		tx.Warn("rke is let finish; Ctrl-C again interrupts it")
		select {
		case <-p.child.Done():
			return nil
		case <-ctx.Done():
		}
	}
	p.child.Interrupt()
	<-p.child.Done()
	return nil
}
