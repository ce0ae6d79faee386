package rke

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Undo is the procedure that takes this migration back.
func (p *Procedure) Undo() *migration.Undo { return migration.NewUndo(p, p.Core) }

// InstalledAs implements migration.Config.
func (observed) InstalledAs(runner.Record) migration.InstallMethod { return migration.InstallHelm }

// Document implements migration.Side: a cluster.yml installs no charts.
func (p *Procedure) Document() migration.DocumentInstaller { return nil }

// UndoSteps implements migration.Side.
func (p *Procedure) UndoSteps() map[runner.StepID]func(migration.Base) migration.Step {
	return map[runner.StepID]func(migration.Base) migration.Step{
		migration.StepUndoSwitch: func(b migration.Base) migration.Step { return newUndoSwitch(b, p) },
		migration.StepUndoEnable: func(b migration.Base) migration.Step { return newUndoEnable(b, p) },
	}
}

// takeBack takes the newest edit of a step that is left back in a file: by the
// receipt in the journal and the backup beside the file. Nothing else tells what an
// in-tree provider was configured with.
func (p *Procedure) takeBack(seen migration.Snapshot, file *clusterfile.File, step runner.StepID) (clusterfile.Edit, error) {
	for _, intent := range seen.Record.ToTakeBack(step, p.fileObject()) {
		var receipt yamltext.Receipt
		if err := json.Unmarshal(intent.Inverse, &receipt); err != nil {
			return clusterfile.Edit{}, fmt.Errorf("read the receipt of %q in the journal: %w", intent.What, err)
		}
		path := clusterfile.BackupPath(factsOf(seen).Path, receipt.Before)
		backup, err := p.disk().ReadFile(path)
		if err != nil {
			return clusterfile.Edit{}, &fault.Error{Class: fault.Usage, Reason: "NoBackup", Object: "file " + path, Seen: "cannot be read",
				Wanted: "the cluster.yml from before the edit, which awsmigrate kept there", Fix: "bring it back, or undo the edit by hand and run again", Err: err}
		}
		if edit, err := file.Undo(receipt, backup); err != nil || !edit.Empty() {
			return edit, err
		}
	}
	return clusterfile.Edit{}, nil
}

// undoEdit is a step that takes an edit of cluster.yml back and has rke apply it.
type undoEdit struct {
	change
	of runner.StepID
	// restarts says what rke restarts.
	restarts string
}

func newUndoEdit(b migration.Base, p *Procedure, of runner.StepID) *undoEdit {
	s := &undoEdit{change: change{Base: b, p: p, back: true}, of: of}
	s.compute = func(_ context.Context, seen migration.Snapshot) (clusterfile.Edit, error) {
		return p.takeBack(seen, factsOf(seen).File, of)
	}
	return s
}

// Plan implements runner.Step. What comes before in this undo is taken back first.
func (s *undoEdit) Plan(_ context.Context, seen migration.Snapshot) (runner.Plan, error) {
	file := factsOf(seen).File
	// By the file, not by the position alone: a run may have been killed before rke
	// applied the switch that the file has already, or after this undo took it back.
	if s.of == migration.StepEnable {
		first, err := s.p.takeBack(seen, file, migration.StepSwitch)
		if err != nil && (seen.Result.Position >= position.P4 || seen.Result.Between[1] >= position.P4) {
			return runner.Plan{}, err
		}
		if err == nil && !first.Empty() {
			if file, err = clusterfile.Parse(file.Name(), first.After); err != nil {
				return runner.Plan{}, err
			}
		}
	}
	edit, err := s.p.takeBack(seen, file, s.of)
	if err != nil {
		return runner.Plan{}, err
	}
	return s.p.planEdit(seen, edit, s.restarts, len(seen.Reading.Members))
}

func newUndoSwitch(b migration.Base, p *Procedure) *undoEdit {
	s := newUndoEdit(b, p, migration.StepSwitch)
	s.wait, s.restarts = "every host to run with the in-tree provider", "kube-apiserver, kube-controller-manager and kubelet on every control plane at once, then the kubelet on every other host"
	s.allowed = func(_ context.Context, seen migration.Snapshot) error { return seen.MayComeBack() }
	s.open = func(roll *migration.Roll, seen migration.Snapshot) {
		for _, k := range seen.Reading.KCMs {
			if k.Provider() != "aws" || !k.Flagged() {
				roll.Wait("rke's state says provider %q, flag %t", k.Provider(), k.Flagged())
				break
			}
		}
		owner := seen.Reading.LeaseVerdict()
		if owner.Owner == lease.Nobody || owner.Life != lease.Alive {
			roll.Wait("migration lease: %s, %s", owner.Owner, owner.Life)
		}
		waitForCordons(roll, seen)
		roll.Done = roll.Total
		roll.Evidence = []string{fmt.Sprintf("%s; rke's state shows provider aws with enable-leader-migration", s.p.applied),
			fmt.Sprintf("migration lease: %s (%s), renewing", lease.Host(owner.Holder), owner.Owner)}
	}
	return s
}

func newUndoEnable(b migration.Base, p *Procedure) *undoEdit {
	s := newUndoEdit(b, p, migration.StepEnable)
	s.wait, s.restarts = "every kube-controller-manager to run without the flag", "kube-controller-manager on every control plane, one after the other"
	s.allowed = func(_ context.Context, seen migration.Snapshot) error { return seen.RequireNoCCM() }
	s.open = func(roll *migration.Roll, seen migration.Snapshot) {
		for _, k := range seen.Reading.KCMs {
			if k.Flagged() {
				roll.Wait("rke's state shows the flag still")
				break
			}
		}
		main := lease.JudgeMain(seen.Reading.Leases.KCM, seen.Reading.RenewDeadline())
		if main.Life != lease.Alive {
			roll.Wait("Lease kube-system/kube-controller-manager: %s", main.Life)
		}
		waitForCordons(roll, seen)
		roll.Done = roll.Total
		roll.Evidence = []string{fmt.Sprintf("%s; rke's state shows no enable-leader-migration", s.p.applied),
			"kube-controller-manager leads: " + lease.Host(main.Holder)}
	}
	return s
}

func waitForCordons(roll *migration.Roll, seen migration.Snapshot) {
	for _, open := range seen.OpenCordons() {
		roll.Wait("%s %s", open.Object, open.Seen)
	}
}
