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
func (p *Procedure) UndoSteps() map[runner.StepID]func(migration.Base) runner.Step {
	return map[runner.StepID]func(migration.Base) runner.Step{
		migration.StepUndoSwitch: func(b migration.Base) runner.Step { return newUndoSwitch(base{b, p}) },
		migration.StepUndoEnable: func(b migration.Base) runner.Step { return newUndoEnable(base{b, p}) },
	}
}

// takeBack computes what is left to take back of a step's edits, newest first: by
// the inverses of the journal, which put back what was there to the letter, then
// by what the cluster alone says, for a journal that is lost.
func (p *Procedure) takeBack(step runner.StepID, otherwise func(config.Spec, []config.Machine) (config.Edit, error)) func(config.Spec) (config.Edit, error) {
	return func(spec config.Spec) (config.Edit, error) {
		for _, intent := range p.Record.ToTakeBack(step, p.facts.object()) {
			var inverse config.Inverse
			if err := json.Unmarshal(intent.Inverse, &inverse); err != nil {
				return config.Edit{}, fmt.Errorf("read the inverse of %q in the journal: %w", intent.What, err)
			}
			if edit, err := inverse.Edit(spec); err != nil || !edit.Empty() {
				return edit, err
			}
		}
		return otherwise(spec, p.facts.editMachines())
	}
}

// undoEdit is a step that takes an edit of the Cluster object back and watches
// Rancher roll it out.
type undoEdit struct {
	base
	of      runner.StepID
	compute func(config.Spec) (config.Edit, error)
	edit    placed
	// allowed are the conditions of the write.
	allowed func(tx *runner.Tx) error
	// open adds what the roll does not show.
	open func(r *roll)
	wait string
}

// Plan implements runner.Step. What comes before in this undo is taken back first.
func (s *undoEdit) Plan(context.Context) (runner.Plan, error) {
	spec := s.p.facts.Cluster.Spec
	if s.of == StepEnable && (s.Result.Position >= position.P4 || s.Result.Between[1] >= position.P4) {
		first, err := s.p.takeBack(StepSwitch, config.SwitchBack)(spec)
		if err != nil {
			return runner.Plan{}, err
		}
		if spec, err = first.Apply(spec); err != nil {
			return runner.Plan{}, err
		}
	}
	edit, err := s.compute(spec)
	if err != nil {
		return runner.Plan{}, err
	}
	return s.p.planEdit(edit, spec)
}

// Do takes the edits back one after the other. In the middle of a roll, or behind
// the brake, it does not wait for rest: the rest of that roll is what it prevents.
func (s *undoEdit) Do(ctx context.Context, tx *runner.Tx) error {
	made := map[string]bool{}
	for {
		if err := s.Read(ctx); err != nil {
			return err
		}
		s.p.Record = tx.Record()
		edit, err := s.compute(s.p.facts.Cluster.Spec)
		if err != nil || edit.Empty() {
			return err
		}
		id := fmt.Sprint(changesOf("", edit))
		if made[id] { // each is made once: with somebody who takes it back it would go on for ever
			return migration.TakenBack(s.p.facts.object(), locations(edit), s.p.facts.Cluster.LastWriter).Err
		}
		made[id] = true
		if !s.Undoing(tx.Record()) {
			if err := s.RequireRest(); err != nil {
				return err
			}
		}
		if err := s.allowed(tx); err != nil {
			return err
		}
		if err := s.p.noteManifests(ctx, tx); err != nil {
			return err
		}
		if err := s.p.writeEdit(ctx, tx, edit); err != nil {
			return err
		}
	}
}

func (s *undoEdit) Verify(ctx context.Context, tx *runner.Tx) (runner.Verdict, error) {
	roll, err := s.p.watchRoll(ctx, tx, &s.edit, s.wait)
	if err != nil || roll.Stopped() {
		return roll.Verdict(), err
	}
	roll.Total = len(s.Reading.Members)
	s.open(roll)
	return s.p.verdict(ctx, &roll.Roll)
}

// Tend implements runner.Tender.
func (s *undoEdit) Tend(ctx context.Context, tx *runner.Tx) error {
	if err := s.RestoreUserCordons(ctx, tx); err != nil {
		return err
	}
	return s.release(ctx, tx)
}

// release lets Rancher go on after a brake of ours, once its planner works from a
// configuration without the edit.
func (s *undoEdit) release(ctx context.Context, tx *runner.Tx) error {
	plane := s.p.facts.ControlPlane
	if !plane.Paused || plane.PausedBy == "" {
		return nil
	}
	copied, err := s.p.facts.planeSpec()
	if err != nil {
		return err
	}
	if left, err := s.compute(copied); err != nil || !left.Empty() {
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
