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

// NeverAlone is printed above every fragment, and with it. At P3 to P5, reverting the
// configuration starts a second manager next to the CCM.
const NeverAlone = "Do not revert this commit alone: undo the migration, which prints what to commit and when."

// Handoff returns the next edit for the owner to commit, in the given form, once all earlier
// steps are done. With all, the later edits follow, each marked as not yet due. Edits of the
// migration and of its undo are never in one text. A fault of class Gate names the step that
// must come first. The text is empty if nothing is left to commit.
func (m *Migration) Handoff(ctx context.Context, snap migration.Snapshot, form string, all bool) (string, error) {
	writer := m.Backend.Handoff()
	if writer == nil {
		return "", migration.UsageError("flag --handoff", form, "a cluster of `awsmigrate rke2`: no tool reapplies a copy of other clusters")
	}
	if all && !writer.Marked(form) {
		return "", migration.UsageError("flag --all", form+", which cannot mark edits as not yet due", "one edit at a time, or another form")
	}
	says, err := m.Judge(snap)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, edit := range m.pendingEdits(says) {
		info := edit.Info()
		head := fragmentHead(snap, info)
		if notDue := edit.requireDue(ctx, snap, says); notDue != nil {
			if !all {
				if len(texts) > 0 {
					break
				}
				return "", notDue
			}
			head = append([]string{"NOT YET: after " + string(edit.stepBefore(says)) + "."}, head...)
		}
		text, err := writer.Fragment(ctx, snap, form, head, StepsTo(m.Options, snap, edit.ID)...)
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

// NextEdit is an edit for the owner of the configuration to commit.
type NextEdit struct {
	Step  journal.StepID    // empty if no edit is due
	Owner string            // one of migration.KnownOwners, or empty if no owner was found
	Form  string            // the form that suits the owner
	Texts map[string]string // by form
}

// NextEdit returns the next edit to commit in every form, without secrets, once all earlier
// steps are done.
func (m *Migration) NextEdit(ctx context.Context, snap migration.Snapshot) (NextEdit, error) {
	writer := m.Backend.Handoff()
	if writer == nil {
		return NextEdit{}, nil
	}
	says, err := m.Judge(snap)
	if err != nil {
		return NextEdit{}, err
	}
	for _, edit := range m.pendingEdits(says) {
		if notDue := edit.requireDue(ctx, snap, says); notDue != nil {
			return NextEdit{}, ignoreGate(notDue)
		}
		next := NextEdit{Step: edit.ID, Texts: map[string]string{}}
		for _, form := range writer.Forms() {
			text, err := writer.Published(ctx, snap, form, fragmentHead(snap, edit.Info()), StepsTo(m.Options, snap, edit.ID)...)
			if err != nil {
				return NextEdit{}, err
			}
			if text != "" {
				next.Texts[form] = text
			}
		}
		if len(next.Texts) > 0 {
			next.chooseForm(snap.Reading.Owners)
			return next, nil
		}
	}
	return NextEdit{}, nil
}

// ignoreGate returns err, or nil if it only means that another step must come first.
func ignoreGate(err error) error {
	if fault.ClassOf(err) == fault.Gate {
		return nil
	}
	return err
}

// chooseForm sets the form that suits the owner of the configuration.
func (e *NextEdit) chooseForm(owners []migration.Owner) {
	forms := slices.Sorted(maps.Keys(e.Texts))
	e.Form = forms[0]
	if _, is := e.Texts[defaultForm]; is {
		e.Form = defaultForm
	}
	if len(owners) == 0 {
		return
	}
	e.Owner = owners[0].Name
	if word := owners[0].Word(); e.Texts[word] != "" {
		e.Form = word
	}
}

// defaultForm needs no tool but kubectl.
const defaultForm = "patch"

// pendingEdits returns the steps that edit the configuration and are not done.
func (m *Migration) pendingEdits(says runner.Observation) []*editStep {
	var todo []*editStep
	for _, step := range m.Steps() {
		edit, isEdit := step.(*editStep)
		if kind := says.States[step.Info().ID].Kind; isEdit && step.Info().Irreversible == "" && (kind == runner.Todo || kind == runner.InProgress) {
			todo = append(todo, edit)
		}
	}
	return todo
}

func fragmentHead(snap migration.Snapshot, info runner.Info) []string {
	return []string{fmt.Sprintf("%s: %s (%s)", snap.Reading.Object, info.Title, info.ID), NeverAlone}
}

// requireDue returns an error if the edit of a step may not be committed yet. The conditions
// are those of a run that writes the edit, which hands over first.
func (s *editStep) requireDue(ctx context.Context, snap migration.Snapshot, says runner.Observation) error {
	first := s.stepBefore(says)
	err := s.requireWritable(ctx, snap, migration.Edit{})
	if err == nil && first != migration.StepHandOver {
		return nil
	}
	return &fault.Error{Class: fault.Gate, Reason: "NotYet", Object: "step " + string(s.ID), Seen: "its edit may not be committed yet",
		Wanted: "every step up to " + string(first), Fix: "run with --until " + string(first) + ", then ask again", Err: err}
}

// stepBefore returns the step that must be done before the edit is committed: the hand-over if
// it is due before a switch that has not begun, or the preceding step.
func (s *editStep) stepBefore(says runner.Observation) journal.StepID {
	if s.ID == migration.StepSwitch && says.States[s.ID].Kind == runner.Todo && says.States[migration.StepHandOver].Kind == runner.Todo {
		return migration.StepHandOver
	}
	return precedingStep(s.Steps(), s.ID)
}

// precedingStep returns the last step before id that reaches a position or undoes one: it must
// be done before the edit of id.
func precedingStep(steps []migration.Step, id journal.StepID) journal.StepID {
	var last journal.StepID
	for _, step := range steps {
		earlier := step.Info().ID
		if earlier == id {
			break
		}
		if positionOf(earlier) != position.P0 || undoneStep(earlier) != "" {
			last = earlier
		}
	}
	return last
}

// handOff leaves the edit to the owner of the configuration. It announces the edit and ends the
// run at a gate, which releases lock and journal. The same command continues later; from then
// on any change of the configuration is watched, whether it is the edit or not.
func (s *editStep) handOff(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) error {
	if s.isRolling(snap) {
		return nil // its rollout is watched, and judged at rest
	}
	edit, err := s.Backend.Edit(ctx, snap, s.step())
	if err != nil || edit.Empty() {
		return err
	}
	if err := s.requireWritable(ctx, snap, edit); err != nil {
		return err
	}
	if err := s.noteBeginning(ctx, tx, snap, edit); err != nil {
		return err
	}
	if err := edit.Announce(ctx, tx); err != nil {
		return err
	}
	if err := s.noteReported(ctx, tx, nil); err != nil {
		return err
	}
	return &fault.Error{Class: fault.Gate, Reason: migration.ReasonAwaitingOwner, Object: edit.Object,
		Seen:   "is edited by its owner: " + strings.Join(edit.Locations(), ", ") + " differ from what step " + string(s.ID) + " needs",
		Wanted: "exactly the edit that `plan --handoff` prints, as terraform, fleet, argocd or patch", Fix: "commit it there, then run the same command again"}
}

// findHarm returns an error if a commit leads to two managers or to none. It judges the
// configuration: once a control plane shows the harm, the next one may already restart.
func (s *editStep) findHarm(snap migration.Snapshot) error {
	if err := guard.Committed(snap); err != nil {
		return err
	}
	return snap.Reading.Harm
}

// isRolling reports whether the configuration changed since the edit was announced and the
// change is still rolling out.
func (s *editStep) isRolling(snap migration.Snapshot) bool {
	return s.isAnnounced(snap.Record) && len(snap.Reading.Pending) > 0
}

func (s *editStep) isAnnounced(record journal.Record) bool {
	n := len(record.Intents)
	return n > 0 && record.Intents[n-1].Step == s.ID
}

// isPartlyApplied reports whether a part of the announced edit is in force, as after an
// incomplete commit. Its preconditions held then, and the rest only completes it.
func (s *editStep) isPartlyApplied(snap migration.Snapshot) bool {
	if !s.Options.HandOver || !s.isAnnounced(snap.Record) || len(snap.Reading.Pending) > 0 {
		return false
	}
	to := positionOf(s.ID)
	if s.undoesStep() {
		to = undonePosition(s.ID) - 1
	}
	return snap.Result.Position == to || snap.Result.Mixed && guard.Committed(snap) == nil
}

// isPartlyCommitted reports whether a step counts as begun although a part of its edit is
// missing, at rest. Waiting does not complete it.
func (m *Migration) isPartlyCommitted(ctx context.Context, snap migration.Snapshot, step journal.StepID) bool {
	return m.Options.HandOver && step != "" && m.lacksEdit(ctx, snap, step)
}

// judgeOwnerChange judges a commit that is not the edit, or more than the edit. While it rolls
// out, the verdict waits; at rest it fails and names the differences. differs reports whether
// the commit is not the edit.
func (s *editStep) judgeOwnerChange(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) (verdict runner.Verdict, differs bool, err error) {
	edit, unfit := s.Backend.Edit(ctx, snap, s.step())
	places := edit.Locations()
	if unfit == nil && edit.Empty() {
		if places, err = s.unreportedDrift(tx, snap); err != nil || len(places) == 0 {
			return verdict, false, err
		}
	}
	at := strings.Join(places, ", ") + " differ"
	if unfit != nil {
		at = unfit.Error()
	}
	if len(snap.Reading.Pending) > 0 {
		open := migration.SummarizePending(snap.Reading.Pending)
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "another change than the one handed over to be rolled out (" + at + ")",
			Seen: open, Progress: snap.Reading.Progress() + open, By: migration.ByRancher()}, true, nil
	}
	if unfit != nil {
		return markAtRest(migration.Failed(unfit)), true, nil
	}
	fix, note := "commit that, then run the same command again", func() error { return edit.Announce(ctx, tx) } // based on the current configuration
	if edit.Empty() {
		fix = "fix them there, or keep them if they are intended; then run the same command again"
		note = func() error { return s.noteReported(ctx, tx, places) }
	}
	if err := note(); err != nil {
		return verdict, true, err
	}
	return markAtRest(migration.Failed(&fault.Error{Class: fault.Check, Reason: "HandoffDiffers", Object: edit.Object, Seen: at + " from what was handed over",
		Wanted: "exactly the edit that `plan --handoff` prints, as terraform, fleet, argocd or patch", Fix: fix})), true, nil
}

// markAtRest marks a verdict on a change that has finished rolling out.
func markAtRest(v runner.Verdict) runner.Verdict {
	v.AtRest = true
	return v
}

// reportedKey is the journal key of the locations that were committed in addition to an edit
// and that a run has reported. A later run accepts them.
const reportedKey = "handoff-named"

func (s *editStep) noteReported(ctx context.Context, tx *runner.Tx, places []string) error {
	var named []string
	if _, err := tx.NoteInto(reportedKey, &named); err != nil || slices.Equal(named, places) {
		return err
	}
	return tx.Note(ctx, reportedKey, places)
}

// unreportedDrift returns the locations that were committed with an edit, are not part of it,
// and that no run has reported.
func (s *editStep) unreportedDrift(tx *runner.Tx, snap migration.Snapshot) ([]string, error) {
	writer := s.Backend.Handoff()
	if writer == nil {
		return nil, nil
	}
	places, err := writer.Drift(snap, s.ID)
	if err != nil || len(places) == 0 {
		return nil, err
	}
	var named []string
	if _, err := tx.NoteInto(reportedKey, &named); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(places, func(place string) bool { return slices.Contains(named, place) }), nil
}
