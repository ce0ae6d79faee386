package procedure

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// row describes a step independent of a cluster, and creates it for one.
type row struct {
	id           journal.StepID
	title        string
	positionOf   position.Position // the position that the step reaches; P0 if it reaches none
	undoneStep   journal.StepID    // the step that it undoes, or empty
	target       migration.Target  // target of an edit; zero if it edits nothing or only the version
	changes      []verify.Subject  // what checks judge and the step changes while it runs
	irreversible string            // why the step cannot be undone, or empty
	make         func(base) migration.Step

	omitted func(migration.Options) bool // reports whether options omit the step, or nil
	// state returns the step's state in a migration, undo its state in an undo. The position
	// decides if it is nil.
	state, undo func(progress, current) runner.State
}

// migrationRows returns the steps of a migration in order. The guides cordon before they
// install.
func migrationRows() []row {
	return []row{
		{id: migration.StepPreflight, title: "run all checks, fingerprint nodes, services and cordons",
			state: progress.preflightState,
			make:  func(b base) migration.Step { return &preflight{base: b} }},
		{id: migration.StepSnapshot, title: "take an etcd snapshot",
			state: progress.snapshotState,
			make:  func(b base) migration.Step { return &snapshot{base: b} }},
		{id: migration.StepLeaseAccess, title: "grant access to the migration lease", positionOf: position.P1,
			changes: []verify.Subject{verify.Grant},
			make:    func(b base) migration.Step { return &leaseAccess{base: b} }},
		{id: migration.StepEnable, title: "enable leader migration in every kube-controller-manager", positionOf: position.P2,
			changes: []verify.Subject{verify.ControlPlanes, verify.Rollout, verify.Leases},
			target:  migration.Target{ControlPlanes: component.InTreeMigrating, Restarted: true},
			make:    func(b base) migration.Step { return &editStep{b, enableLeaderMigration()} }},
		{id: migration.StepCordon, title: "cordon control-plane nodes",
			changes: []verify.Subject{verify.Cordons},
			state:   progress.cordonState,
			make:    func(b base) migration.Step { return &cordon{base: b} }},
		{id: migration.StepInstall, title: "install the cloud controller manager", positionOf: position.P3,
			changes: []verify.Subject{verify.CCM},
			state:   progress.installState,
			make:    func(b base) migration.Step { return &install{base: b} }},
		{id: migration.StepHandOver, title: "hand over to the cloud controller manager (reversible)",
			changes: []verify.Subject{verify.Leases, verify.ControlPlanes},
			omitted: func(o migration.Options) bool { return !o.EarlyHandOver }, state: progress.handOverState,
			make: func(b base) migration.Step { return &handOver{base: b} }},
		{id: migration.StepSwitch, title: "switch every component to the external provider", positionOf: position.P4,
			changes: []verify.Subject{verify.ControlPlanes, verify.Kubelets, verify.Rollout, verify.Leases},
			target:  migration.Target{ControlPlanes: component.External, Kubelets: migration.KubeletExternal, Restarted: true},
			make:    func(b base) migration.Step { return &editStep{b, switchProvider(b.Options.EarlyHandOver)} }},
		{id: migration.StepUncordon, title: "uncordon control-plane nodes",
			changes: []verify.Subject{verify.Cordons},
			state:   progress.uncordonState, undo: progress.undoUncordonState,
			make: func(b base) migration.Step { return &uncordon{base: b} }},
		{id: migration.StepVerify, title: "audit the cluster against the fingerprint",
			state: progress.auditState, undo: progress.auditState,
			make: func(b base) migration.Step { return &finalAudit{base: b} }},
		{id: migration.StepDisable, title: "disable leader migration, remove lease and grant", positionOf: position.P5,
			changes: []verify.Subject{verify.CCM, verify.Leases, verify.Grant},
			state:   progress.disableState,
			make:    func(b base) migration.Step { return &disable{base: b} }},
		{id: migration.StepUpgrade, title: "upgrade Kubernetes", irreversible: "Kubernetes 1.27 and later have no in-tree AWS provider to go back to",
			changes: []verify.Subject{verify.ControlPlanes, verify.Rollout, verify.CCM, verify.Leases},
			omitted: func(o migration.Options) bool { return o.KubernetesVersion == "" }, state: progress.upgradeState,
			make: func(b base) migration.Step { return &editStep{b, upgradeKubernetes(b.Options.KubernetesVersion)} }},
	}
}

// undoRows returns the steps that only an undo has, in order.
func undoRows() []row {
	return []row{
		{id: migration.StepUndoPreflight, title: "check that rollback is possible",
			undo: progress.undoPreflightState,
			make: func(b base) migration.Step { return &undoPreflight{base: b} }},
		{id: migration.StepUndoDisable, title: "enable leader migration in the cloud controller manager again", undoneStep: migration.StepDisable,
			changes: []verify.Subject{verify.CCM, verify.Leases, verify.Grant},
			make:    func(b base) migration.Step { return &undoDisable{base: b} }},
		{id: migration.StepUndoSwitch, title: "switch every component back to the in-tree provider, with leader migration", undoneStep: migration.StepSwitch,
			changes: []verify.Subject{verify.ControlPlanes, verify.Kubelets, verify.Rollout, verify.Leases},
			target:  migration.Target{ControlPlanes: component.InTreeMigrating, Kubelets: migration.KubeletInTree},
			make:    func(b base) migration.Step { return &editStep{b, switchBack()} }},
		{id: migration.StepUndoInstall, title: "uninstall the cloud controller manager", undoneStep: migration.StepInstall,
			changes: []verify.Subject{verify.CCM, verify.Leases},
			undo:    progress.undoInstallState,
			make:    func(b base) migration.Step { return &undoInstall{base: b} }},
		{id: migration.StepUndoEnable, title: "disable leader migration in every kube-controller-manager", undoneStep: migration.StepEnable,
			changes: []verify.Subject{verify.ControlPlanes, verify.Rollout, verify.Leases},
			target:  migration.Target{ControlPlanes: component.InTree},
			make:    func(b base) migration.Step { return &editStep{b, disableLeaderMigrationAgain()} }},
		{id: migration.StepUndoAccess, title: "remove migration lease and grant", undoneStep: migration.StepLeaseAccess,
			changes: []verify.Subject{verify.Grant, verify.Leases},
			undo:    progress.undoAccessState,
			make:    func(b base) migration.Step { return &undoAccess{base: b} }},
	}
}

// order returns the active steps. With a HelmChart document the install comes before the
// cordon: its Job must run on a control plane and does not tolerate a cordon
// (k3s-io/helm-controller:pkg/controllers/chart/chart.go@v0.15.9).
func order(o migration.Options) []journal.StepID {
	ids := idsOf(slices.DeleteFunc(migrationRows(), func(r row) bool { return r.omitted != nil && r.omitted(o) }))
	if o.InstallMethod == migration.InstallManifest {
		ids = slices.DeleteFunc(ids, func(id journal.StepID) bool { return id == migration.StepInstall })
		ids = slices.Insert(ids, slices.Index(ids, migration.StepCordon), migration.StepInstall)
	}
	return ids
}

// undoOrder returns the steps of an undo. It uncordons before it removes the chart: the Job
// that removes a HelmChart does not tolerate a cordon. An audit comes last.
func undoOrder() []journal.StepID {
	ids := idsOf(undoRows())
	return append(slices.Insert(ids, slices.Index(ids, migration.StepUndoInstall), migration.StepUncordon), migration.StepVerify)
}

func idsOf(rows []row) []journal.StepID {
	ids := make([]journal.StepID, 0, len(rows))
	for _, r := range rows {
		ids = append(ids, r.id)
	}
	return ids
}

// rowOf returns the row of a step, or zero if the step is unknown.
func rowOf(id journal.StepID) row {
	for _, r := range slices.Concat(migrationRows(), undoRows()) {
		if r.id == id {
			return r
		}
	}
	return row{}
}

// positionOf returns the position that a step reaches, or P0 if it reaches none.
func positionOf(id journal.StepID) position.Position { return rowOf(id).positionOf }

// stepTo returns the step that reaches a position, or empty.
func stepTo(p position.Position) journal.StepID {
	for _, r := range migrationRows() {
		if r.positionOf == p && p != position.P0 {
			return r.id
		}
	}
	return ""
}

// undoneStep returns the step that an undo step undoes, or empty.
func undoneStep(id journal.StepID) journal.StepID { return rowOf(id).undoneStep }

// undoStep returns the step that undoes a step, or empty.
func undoStep(of journal.StepID) journal.StepID {
	for _, r := range undoRows() {
		if of != "" && r.undoneStep == of {
			return r.id
		}
	}
	return ""
}

// changesModes reports whether the edit of a step changes how kube-controller-managers run.
func changesModes(id journal.StepID) bool {
	return rowOf(id).target.ControlPlanes != component.ModeUnknown
}

// EditingOf describes a step to a Backend. The target is zero if the step edits nothing.
func EditingOf(id journal.StepID, o migration.Options) migration.Editing {
	r := rowOf(id)
	step := migration.Editing{ID: id, Undoes: r.undoneStep, Target: r.target}
	if id == migration.StepUpgrade {
		step.Target.Version = o.KubernetesVersion
	}
	return step
}

// StepsTo returns an editing step, preceded by the earlier steps whose edits may still be
// missing: its edit is planned on top of those.
func StepsTo(o migration.Options, snap migration.Snapshot, id journal.StepID) []migration.Editing {
	ids := order(o)
	if undoneStep(id) != "" {
		ids = undoOrder()
	}
	var steps []migration.Editing
	for _, earlier := range ids[:max(0, slices.Index(ids, id))] {
		if changesModes(id) && changesModes(earlier) && mayLackEdit(snap, earlier) {
			steps = append(steps, EditingOf(earlier, o))
		}
	}
	return append(steps, EditingOf(id, o))
}

// mayLackEdit reports whether the configuration may lack the edit of a step.
func mayLackEdit(snap migration.Snapshot, id journal.StepID) bool {
	if undone := undoneStep(id); undone != "" {
		return snap.Result.MayHaveReached(positionOf(undone)) || snap.Record.Begun(undone)
	}
	return snap.Result.Position < positionOf(id)
}

// rolls reports whether another program rolls out a step's change after our write.
func rolls(o migration.Options, id journal.StepID) bool {
	if id == migration.StepInstall {
		return o.InstallMethod == migration.InstallManifest
	}
	return undoneStep(id) == "" && (changesModes(id) || id == migration.StepUpgrade)
}

// Changes returns what a step changes while it runs, of the subjects of checks. An installation
// through the cluster's configuration rolls it out, too.
func Changes(o migration.Options, id journal.StepID) []verify.Subject {
	subjects := slices.Clone(rowOf(id).changes)
	if id == migration.StepInstall && rolls(o, id) {
		subjects = append(subjects, verify.Rollout)
	}
	return subjects
}

// undonePosition returns the position that an undo step leaves.
func undonePosition(id journal.StepID) position.Position { return positionOf(undoneStep(id)) }

// StepsAt returns the step that leads from a position to the next, and the step that undoes the
// position. Either may be empty.
func StepsAt(p position.Position) (on, back journal.StepID) {
	return stepTo(p + 1), undoStep(stepTo(p))
}

// StepInfos describes every step of a migration, in the default order.
func StepInfos() []runner.Info { return infosOf(migrationRows()) }

// UndoStepInfos describes the steps that only an undo has, in order.
func UndoStepInfos() []runner.Info { return infosOf(undoRows()) }

// UndoOrder describes every step of an undo, in order.
func UndoOrder() []runner.Info {
	var rows []row
	for _, id := range undoOrder() {
		rows = append(rows, rowOf(id))
	}
	return infosOf(rows)
}

func infosOf(rows []row) []runner.Info {
	infos := make([]runner.Info, 0, len(rows))
	for _, r := range rows {
		infos = append(infos, r.info())
	}
	return infos
}

func (r row) info() runner.Info {
	doc := "steps/" + string(r.id) + ".md"
	if r.undoneStep != "" || r.id == migration.StepUndoPreflight {
		doc = "going-back.md"
	}
	return runner.Info{ID: r.id, Title: r.title, Doc: doc, Irreversible: r.irreversible}
}
