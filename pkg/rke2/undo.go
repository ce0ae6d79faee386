package rke2

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Undo is the procedure that takes this migration back.
func (p *Procedure) Undo() *migration.Undo { return migration.NewUndo(p, p.Core) }

// UndoSteps implements migration.Side.
func (p *Procedure) UndoSteps() map[runner.StepID]func(migration.Base) migration.Step {
	return map[runner.StepID]func(migration.Base) migration.Step{
		migration.StepUndoSwitch: func(b migration.Base) migration.Step { return newUndoSwitch(base{b, p}) },
		migration.StepUndoEnable: func(b migration.Base) migration.Step { return newUndoEnable(base{b, p}) },
	}
}

// takeBack computes what is left to take back of a step's edits, newest first: by
// the inverses of the journal, which put back what was there to the letter, then
// by what the cluster alone says, for a journal that is lost.
func takeBack(step runner.StepID, otherwise func(config.Spec, []config.Machine) (config.Edit, error)) computation {
	return func(seen migration.Snapshot, spec config.Spec) (config.Edit, error) {
		for _, intent := range seen.Record.ToTakeBack(step, factsOf(seen).object()) {
			var inverse config.Inverse
			if err := json.Unmarshal(intent.Inverse, &inverse); err != nil {
				return config.Edit{}, fmt.Errorf("read the inverse of %q in the journal: %w", intent.What, err)
			}
			if edit, err := inverse.Edit(spec); err != nil || !edit.Empty() {
				return edit, err
			}
		}
		return otherwise(spec, factsOf(seen).editMachines())
	}
}

// undoEdit is a step that takes an edit of the Cluster object back and watches
// Rancher roll it out.
type undoEdit struct {
	base
	of      runner.StepID
	compute computation
	edit    placed
	// allowed are the conditions of the write.
	allowed func(seen migration.Snapshot) error
	// open adds what the roll does not show.
	open func(r *roll, seen migration.Snapshot)
	wait string
}

// Plan implements runner.Step. What comes before in this undo is taken back first.
func (s *undoEdit) Plan(_ context.Context, seen migration.Snapshot) (runner.Plan, error) {
	spec := factsOf(seen).Cluster.Spec
	if s.of == StepEnable && (seen.Result.Position >= position.P4 || seen.Result.Between[1] >= position.P4) {
		first, err := takeBack(StepSwitch, config.SwitchBack)(seen, spec)
		if err != nil {
			return runner.Plan{}, err
		}
		if spec, err = first.Apply(spec); err != nil {
			return runner.Plan{}, err
		}
	}
	edit, err := s.compute(seen, spec)
	if err != nil {
		return runner.Plan{}, err
	}
	return planEdit(factsOf(seen), edit, spec)
}

// Do takes the edits back one after the other. In the middle of a roll, or behind
// the brake, it does not wait for rest: the rest of that roll is what it prevents.
func (s *undoEdit) Do(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	made := map[string]bool{}
	for {
		edit, err := s.compute(seen, factsOf(seen).Cluster.Spec)
		if err != nil || edit.Empty() {
			return err
		}
		id := fmt.Sprint(changesOf("", edit))
		if made[id] { // each is made once: with somebody who takes it back it would go on for ever
			return migration.TakenBack(factsOf(seen).object(), locations(edit), factsOf(seen).Cluster.LastWriter).Err
		}
		made[id] = true
		if !s.Undoing(seen) {
			if err := s.RequireRest(seen); err != nil {
				return err
			}
		}
		if err := s.allowed(seen); err != nil {
			return err
		}
		if err := s.p.noteManifests(ctx, tx, seen); err != nil {
			return err
		}
		if err := s.p.writeEdit(ctx, tx, factsOf(seen), edit); err != nil {
			return err
		}
		if seen, err = s.Observe(ctx, tx.Record()); err != nil {
			return err
		}
	}
}

func (s *undoEdit) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	roll, err := s.p.watchRoll(tx, seen, &s.edit, s.wait)
	if err != nil || roll.Stopped() {
		return roll.Verdict(), err
	}
	roll.Total = len(seen.Reading.Members)
	s.open(roll, seen)
	return s.p.verdict(ctx, seen, &roll.Roll)
}

// Tend implements runner.Tender.
func (s *undoEdit) Tend(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	if err := s.RestoreUserCordons(ctx, tx, seen); err != nil {
		return err
	}
	return s.release(ctx, tx, seen)
}

// release lets Rancher go on after a brake of ours, once its planner works from a
// configuration without the edit.
func (s *undoEdit) release(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	plane := factsOf(seen).ControlPlane
	if !plane.Paused || plane.PausedBy == "" {
		return nil
	}
	copied, err := factsOf(seen).planeSpec()
	if err != nil {
		return err
	}
	if left, err := s.compute(seen, copied); err != nil || !left.Empty() {
		return err
	}
	object := fmt.Sprintf("RKEControlPlane %s/%s", s.p.options.Namespace, s.p.options.Name)
	by, pause := kube.Pointer("metadata", "annotations", pausedByAnnotation), kube.Pointer("metadata", "annotations", pausedAnnotation)
	patch, err := kube.JSONPatch(kube.Test(by, plane.PausedBy), kube.Remove(by), kube.Remove(pause))
	if err != nil {
		return fmt.Errorf("encode the end of the pause of %s: %w", object, err)
	}
	intent := runner.Intent{What: "let Rancher go on: end the pause of " + object, Object: object, Token: plane.PausedBy}
	return tx.Effect(ctx, intent, func(ctx context.Context) error {
		_, err := s.p.clients.Management.Resource(controlPlanesGVR).Namespace(s.p.options.Namespace).
			Patch(ctx, s.p.options.Name, types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: wellknown.FieldManager})
		return err
	})
}
