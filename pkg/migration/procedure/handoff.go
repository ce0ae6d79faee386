package procedure

import (
	"context"
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// neverAlone is above every fragment: at P3 to P5 a configuration that is put back as it
// was makes a second manager beside the CCM.
const neverAlone = "Do not revert this commit by itself: undo the migration, which says what to commit and when."

// Handoff is the next edit that is to be committed by whoever keeps the configuration,
// written down in a form, once its ground is laid; with all the later ones follow, each
// marked as not yet due. Forward and back are never in one text. A fault of class Gate says
// which step comes first; "": nothing is left to commit.
func (m *Migration) Handoff(ctx context.Context, seen migration.Snapshot, form string, all bool) (string, error) {
	writer := m.Backend.Handoff()
	if writer == nil {
		return "", migration.UsageError("flag --handoff", form, "a cluster of `awsmigrate rke2`: of others nobody keeps a copy that is applied again")
	}
	says, err := m.Judge(seen)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, step := range m.Steps() {
		edit, edits := step.(*editing)
		info := step.Info()
		if kind := says.States[info.ID].Kind; !edits || info.Irreversible != "" || kind != runner.Todo && kind != runner.InProgress {
			continue
		}
		head := []string{fmt.Sprintf("%s: %s (%s)", seen.Reading.Object, info.Title, info.ID), neverAlone}
		if notYet := edit.notYet(ctx, seen); notYet != nil {
			if !all {
				if len(texts) > 0 {
					break
				}
				return "", notYet
			}
			head = append([]string{"NOT YET: after " + string(before(m.Steps(), info.ID)) + "."}, head...)
		}
		text, err := writer.Fragment(seen, info.ID, form, head)
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
	edit, err := s.Backend.Edit(ctx, seen, s.ID)
	if err != nil || edit.Empty() {
		return err
	}
	if err := s.mayWrite(ctx, seen, edit); err != nil {
		return err
	}
	if err := edit.Announce(ctx, tx); err != nil {
		return err
	}
	return &fault.Error{Class: fault.Gate, Reason: "AwaitingOwner", Object: edit.Object,
		Seen:   "is kept by somebody else: " + strings.Join(edit.Locations(), ", ") + " are not as step " + string(s.ID) + " needs them",
		Wanted: "exactly the edit that `plan --handoff` prints, as terraform, fleet, argocd or patch", Fix: "commit it there, then run the same command again"}
}

// moving says whether somebody has changed the configuration since the edit was announced.
func (s *editing) moving(seen migration.Snapshot) bool {
	return s.announced(seen.Record) && len(seen.Reading.Pending) > 0
}

func (s *editing) announced(record journal.Record) bool {
	n := len(record.Intents)
	return n > 0 && record.Intents[n-1].Step == s.ID
}

// othersChange judges what was committed instead of the edit: while it is rolled out it is
// watched, and the brake with it; at rest it is named. differs: it is not the edit.
func (s *editing) othersChange(ctx context.Context, seen migration.Snapshot) (verdict runner.Verdict, differs bool, err error) {
	edit, unfit := s.Backend.Edit(ctx, seen, s.ID)
	if unfit == nil && edit.Empty() {
		return verdict, false, nil
	}
	at := strings.Join(edit.Locations(), ", ") + " differ"
	if unfit != nil {
		at = unfit.Error()
	}
	if len(seen.Reading.Pending) > 0 {
		open := s.Backend.Summarize(seen.Reading.Pending)
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "another change than the one handed over to be rolled out (" + at + ")",
			Seen: open, Progress: seen.Reading.Progress() + open, By: migration.ByRancher()}, true, nil
	}
	if unfit != nil {
		return migration.Failed(unfit), true, nil
	}
	return migration.Failed(&fault.Error{Class: fault.Check, Reason: "HandoffDiffers", Object: edit.Object, Seen: at + " from what was handed over",
		Wanted: "exactly the edit that `plan --handoff` prints, as terraform, fleet, argocd or patch", Fix: "commit that, then run the same command again"}), true, nil
}
