package runner

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// announcementNote is the key of the journal's note that holds the Announcement of the last run.
const announcementNote = "run"

// Limits of what an announcement holds of one step. They bound the journal.
const (
	maxSaidLines = 8
	maxSaidChars = 240
)

// announcedRun is the note as the journal holds it.
type announcedRun struct {
	Run string `json:"run"`
	Announcement
}

// announcementOf returns what a run has announced. A run without a note is known by its intents.
func announcementOf(st journal.State, run string) Announcement {
	var noted announcedRun
	if known, err := (journal.Record{Notes: st.Notes}).NoteInto(announcementNote, &noted); known && err == nil && noted.Run == run {
		return noted.Announcement
	}
	step, since := lastAnnounced(st, run)
	return Announcement{Step: step, Since: since}
}

// lastAnnounced returns the last step with an intent of the run, and the time of its first intent.
// The step is empty if the run has no intent yet.
func lastAnnounced(st journal.State, run string) (step journal.StepID, since time.Time) {
	for _, intent := range slices.Backward(st.Intents) {
		if intent.Run != run || step != "" && intent.Step != step {
			break
		}
		step, since = intent.Step, journal.Moment(intent.Time)
	}
	return step, since
}

// announcement returns what the run announces now.
func (r *run[S]) announcement() Announcement {
	basis := r.p.Basis(r.last)
	a := Announcement{Goal: basis.Goal, Until: r.o.Until, Options: basis.Options, Step: r.current, Since: r.stepBegan}
	for _, info := range r.steps {
		a.Steps = append(a.Steps, r.announcedStep(info))
	}
	return a
}

// announcedStep describes one step by the run's own results, and a step that the run has not
// reached by its last observation.
func (r *run[S]) announcedStep(info Info) AccountStep {
	res := r.report.of(info.ID)
	step := AccountStep{ID: info.ID, Title: info.Title, State: Todo, Said: clipLines(res.Evidence), Seconds: res.Elapsed.Seconds()}
	switch state := r.obs.States[info.ID]; {
	case res.Outcome == Finished:
		step.State, step.Here = Done, true
	case res.Outcome == WasDone:
		step.State = Done
	case res.Outcome == WasSkipped:
		step.State = Skipped
	case info.ID == r.current:
		step.State, step.Said = InProgress, nil
	case state.Kind == Done || state.Kind == Skipped:
		step.State, step.Said = state.Kind, clipLines([]string{state.Reason})
	}
	if cost, planned := r.costs[info.ID]; planned && step.State != Done && step.State != Skipped {
		step.Cost = &cost
	}
	return step
}

func clipLines(lines []string) []string {
	var clipped []string
	for _, line := range lines[:min(len(lines), maxSaidLines)] {
		if line != "" {
			clipped = append(clipped, plaintext.Clip(plaintext.Line(line), maxSaidChars, false))
		}
	}
	return clipped
}

// announce writes the current step to the journal, for readers. It is best effort: nothing in a
// run depends on it, and the next announcement repeats it.
func (r *run[S]) announce(ctx context.Context) {
	r.stepBegan = r.o.Clock.Now()
	if !r.writing {
		return
	}
	ctx = retry.WithBudget(retry.WithoutStop(ctx), finalWriteTimeout)
	if r.s.prove(ctx) != nil {
		return
	}
	_ = r.s.change(ctx, r.putAnnouncement())
}

// putAnnouncement returns the change that puts the run's announcement into a journal.
func (r *run[S]) putAnnouncement() func(*journal.State) {
	raw, err := json.Marshal(announcedRun{Run: r.o.RunID, Announcement: r.announcement()})
	return func(st *journal.State) {
		if err != nil {
			return
		}
		if st.Notes == nil {
			st.Notes = map[string]json.RawMessage{}
		}
		st.Notes[announcementNote] = raw
	}
}

// withHolderStep returns a refusal by a held lock with the step of the run that holds it. Any other
// error is returned unchanged.
func (r *run[S]) withHolderStep(ctx context.Context, err error) error {
	refused, ok := err.(*fault.Error) //nolint:errorlint // a wrapped one would be repeated
	if !ok || refused.Class != fault.Locked || r.s.load(ctx) != nil {
		return err
	}
	st := r.s.journal()
	run := lastRun(st)
	step := announcementOf(st, run.ID).StepText()
	if run.Outcome != "" || step == "" || !strings.Contains(refused.Seen, run.ID) {
		return err
	}
	named := *refused
	named.Seen += "; it is in " + step
	named.Fix = "follow it with `status --watch`, and wait for its end, or stop it there"
	return &named
}
