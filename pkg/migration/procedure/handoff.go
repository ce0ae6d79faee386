package procedure

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// NeverAlone is above every fragment, and beside it: at P3 to P5 a configuration that is put back as it
// was makes a second manager beside the CCM.
const NeverAlone = "Do not revert this commit by itself: undo the migration, which says what to commit and when."

// Handoff is the next edit that is to be committed by whoever keeps the configuration,
// written down in a form, once its ground is laid; with all the later ones follow, each
// marked as not yet due. Forward and back are never in one text. A fault of class Gate says
// which step comes first; "": nothing is left to commit.
func (m *Migration) Handoff(ctx context.Context, seen migration.Snapshot, form string, all bool) (string, error) {
	writer := m.Backend.Handoff()
	if writer == nil {
		return "", migration.UsageError("flag --handoff", form, "a cluster of `awsmigrate rke2`: of others nobody keeps a copy that is applied again")
	}
	if all && !writer.Marked(form) {
		return "", migration.UsageError("flag --all", form+", which has no room to say what is not yet due", "one edit at a time, or another form")
	}
	says, err := m.Judge(seen)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, edit := range m.edits(says) {
		info := edit.Info()
		head := headOf(seen, info)
		if notYet := edit.notYet(ctx, seen); notYet != nil {
			if !all {
				if len(texts) > 0 {
					break
				}
				return "", notYet
			}
			head = append([]string{"NOT YET: after " + string(before(m.Steps(), info.ID)) + "."}, head...)
		}
		text, err := writer.Fragment(ctx, seen, form, head, StepsTo(m.Options, seen, edit.ID)...)
		if err != nil {
			return "", err
		}
		if text != "" {
			texts = append(texts, text)
		}
		if !all && text != "" {
			break
		}
	}
	return strings.Join(texts, "\n"), nil
}

// NextEdit is one that whoever keeps the configuration is to commit.
type NextEdit struct {
	Step  journal.StepID    // "": none is due
	Owner string            // who keeps it, one of migration.KnownOwners; "": nobody was found
	Form  string            // that of whoever keeps it
	Texts map[string]string // by their forms
}

// NextEdit is the next edit to be committed, once its ground is laid, in every form, as it
// may be published.
func (m *Migration) NextEdit(ctx context.Context, seen migration.Snapshot) (NextEdit, error) {
	writer := m.Backend.Handoff()
	if writer == nil {
		return NextEdit{}, nil
	}
	says, err := m.Judge(seen)
	if err != nil {
		return NextEdit{}, err
	}
	for _, edit := range m.edits(says) {
		if notYet := edit.notYet(ctx, seen); notYet != nil {
			return NextEdit{}, onlyOthers(notYet)
		}
		next := NextEdit{Step: edit.ID, Texts: map[string]string{}}
		for _, form := range writer.Forms() {
			text, err := writer.Published(ctx, seen, form, headOf(seen, edit.Info()), StepsTo(m.Options, seen, edit.ID)...)
			if err != nil {
				return NextEdit{}, err
			}
			if text != "" {
				next.Texts[form] = text
			}
		}
		if len(next.Texts) > 0 {
			next.kept(seen.Reading.Owners)
			return next, nil
		}
	}
	return NextEdit{}, nil
}

// onlyOthers leaves out that a step has to come first.
func onlyOthers(err error) error {
	if fault.ClassOf(err) == fault.Gate {
		return nil
	}
	return err
}

// kept chooses the form by who keeps the configuration.
func (e *NextEdit) kept(owners []migration.Owner) {
	forms := slices.Sorted(maps.Keys(e.Texts))
	e.Form = forms[0]
	if _, is := e.Texts[anyones]; is {
		e.Form = anyones
	}
	if len(owners) == 0 {
		return
	}
	e.Owner = owners[0].Name
	if word := owners[0].Word(); e.Texts[word] != "" {
		e.Form = word
	}
}

// anyones is the form that needs no tool but kubectl.
const anyones = "patch"

// edits are the steps that change the configuration and are still to do.
func (m *Migration) edits(says runner.Observation) []*editing {
	var todo []*editing
	for _, step := range m.Steps() {
		edit, edits := step.(*editing)
		if kind := says.States[step.Info().ID].Kind; edits && step.Info().Irreversible == "" && (kind == runner.Todo || kind == runner.InProgress) {
			todo = append(todo, edit)
		}
	}
	return todo
}

func headOf(seen migration.Snapshot, info runner.Info) []string {
	return []string{fmt.Sprintf("%s: %s (%s)", seen.Reading.Object, info.Title, info.ID), NeverAlone}
}

// notYet says what has to be there before the edit of a step may be committed, which is
// what has to be there before a run writes it; nil: it is.
func (s *editing) notYet(ctx context.Context, seen migration.Snapshot) error {
	err := s.mayWrite(ctx, seen, migration.Edit{})
	if err == nil {
		return nil
	}
	first := before(s.Steps(), s.ID)
	return &fault.Error{Class: fault.Gate, Reason: "NotYet", Object: "step " + string(s.ID), Seen: "its edit may not be committed yet",
		Wanted: "every step up to " + string(first), Fix: "run with --until " + string(first) + ", then ask again", Err: err}
}

// before is the step that lays the ground for another: the last one ahead of it that
// brings the cluster to a position, or back from one.
func before(steps []migration.Step, id journal.StepID) journal.StepID {
	var last journal.StepID
	for _, step := range steps {
		one := step.Info().ID
		if one == id {
			break
		}
		if reaches(one) != position.P0 || undoes(one) != "" {
			last = one
		}
	}
	return last
}

// handOver leaves the edit to whoever keeps the configuration. Once it is announced, the
// run ends at a gate with lock and journal given back, and the same command goes on: any
// change of the configuration is watched from then on, exact or not.
func (s *editing) handOver(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	if s.moving(seen) {
		return nil // it is watched to its rest, and named there
	}
	edit, err := s.Backend.Edit(ctx, seen, s.step())
	if err != nil || edit.Empty() {
		return err
	}
	if err := s.mayWrite(ctx, seen, edit); err != nil {
		return err
	}
	if err := s.noteBeginning(ctx, tx, seen, edit); err != nil {
		return err
	}
	if err := edit.Announce(ctx, tx); err != nil {
		return err
	}
	if err := s.noteNamed(ctx, tx, nil); err != nil {
		return err
	}
	return &fault.Error{Class: fault.Gate, Reason: migration.ReasonAwaitingOwner, Object: edit.Object,
		Seen:   "is kept by somebody else: " + strings.Join(edit.Locations(), ", ") + " are not as step " + string(s.ID) + " needs them",
		Wanted: "exactly the edit that `plan --handoff` prints, as terraform, fleet, argocd or patch", Fix: "commit it there, then run the same command again"}
}

// harm is what somebody has committed that makes two managers or none; nil: nothing. What
// is to come of it is told from the configuration: once a control plane shows it, whoever
// rolls it out may be at the next one.
func (s *editing) harm(seen migration.Snapshot) error {
	if err := guard.Committed(seen); err != nil {
		return err
	}
	return seen.Reading.Harm
}

// moving says whether somebody has changed the configuration since the edit was announced.
func (s *editing) moving(seen migration.Snapshot) bool {
	return s.announced(seen.Record) && len(seen.Reading.Pending) > 0
}

func (s *editing) announced(record journal.Record) bool {
	n := len(record.Intents)
	return n > 0 && record.Intents[n-1].Step == s.ID
}

// halfway says whether a part of the edit that was announced is in force, as after a
// commit of half of it: its ground was laid then, and what is left only completes it.
func (s *editing) halfway(seen migration.Snapshot) bool {
	if !s.Options.HandOver || !s.announced(seen.Record) || len(seen.Reading.Pending) > 0 {
		return false
	}
	to := reaches(s.ID)
	if s.back() {
		to = undoFrom(s.ID) - 1
	}
	return seen.Result.Position == to || seen.Result.Mixed && guard.Committed(seen) == nil
}

// halfCommitted says whether a step that counts as begun lacks a part of its edit, at
// rest: nothing comes to its end by itself there.
func (m *Migration) halfCommitted(ctx context.Context, seen migration.Snapshot, step journal.StepID) bool {
	return m.Options.HandOver && step != "" && m.onlyAnnounced(ctx, seen, step)
}

// othersChange judges what was committed instead of the edit, or with it: while it is
// rolled out it is watched, and the brake with it; at rest it is named. differs: it is
// not the edit.
func (s *editing) othersChange(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (verdict runner.Verdict, differs bool, err error) {
	edit, unfit := s.Backend.Edit(ctx, seen, s.step())
	places := edit.Locations()
	if unfit == nil && edit.Empty() {
		if places, err = s.beside(tx, seen); err != nil || len(places) == 0 {
			return verdict, false, err
		}
	}
	at := strings.Join(places, ", ") + " differ"
	if unfit != nil {
		at = unfit.Error()
	}
	if len(seen.Reading.Pending) > 0 {
		open := migration.SummarizePending(seen.Reading.Pending)
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "another change than the one handed over to be rolled out (" + at + ")",
			Seen: open, Progress: seen.Reading.Progress() + open, By: migration.ByRancher()}, true, nil
	}
	if unfit != nil {
		return atRest(migration.Failed(unfit)), true, nil
	}
	fix, note := "commit that, then run the same command again", func() error { return edit.Announce(ctx, tx) } // on what is there now
	if edit.Empty() {
		fix = "put them right there, or leave them where they are meant so; then run the same command again"
		note = func() error { return s.noteNamed(ctx, tx, places) }
	}
	if err := note(); err != nil {
		return verdict, true, err
	}
	return atRest(migration.Failed(&fault.Error{Class: fault.Check, Reason: "HandoffDiffers", Object: edit.Object, Seen: at + " from what was handed over",
		Wanted: "exactly the edit that `plan --handoff` prints, as terraform, fleet, argocd or patch", Fix: fix})), true, nil
}

// atRest is a verdict on what was watched to its rest: nothing of it goes on.
func atRest(v runner.Verdict) runner.Verdict {
	v.AtRest = true
	return v
}

// namedNote is the journal's key for places that were committed beside an edit and that a
// run has named: who runs again after that has seen them.
const namedNote = "handoff-named"

func (s *editing) noteNamed(ctx context.Context, tx *runner.Tx, places []string) error {
	var named []string
	if _, err := tx.NoteInto(namedNote, &named); err != nil || slices.Equal(named, places) {
		return err
	}
	return tx.Note(ctx, namedNote, places)
}

// beside are the places that were committed with an edit and are not part of it, and
// that no run has named.
func (s *editing) beside(tx *runner.Tx, seen migration.Snapshot) ([]string, error) {
	writer := s.Backend.Handoff()
	if writer == nil {
		return nil, nil
	}
	places, err := writer.Beside(seen, s.ID)
	if err != nil || len(places) == 0 {
		return nil, err
	}
	var named []string
	if _, err := tx.NoteInto(namedNote, &named); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(places, func(place string) bool { return slices.Contains(named, place) }), nil
}
