package procedure

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// row is what is known of a step without a cluster, and how it is made for one.
type row struct {
	id           journal.StepID
	title        string
	reaches      position.Position // that it brings the cluster to; P0: none of its own
	undoes       journal.StepID    // that it takes back; "": it goes forward
	target       migration.Target  // of an editing step; zero: it edits nothing, or the version alone
	irreversible string            // why there is no way back; "": there is one
	make         func(base) migration.Step
}

// forward are the steps of a migration, in their order. The guides cordon before they
// install.
func forward() []row {
	return []row{
		{id: migration.StepPreflight, title: "run all checks, fingerprint nodes, services and cordons",
			make: func(b base) migration.Step { return &preflight{base: b} }},
		{id: migration.StepSnapshot, title: "take an etcd snapshot",
			make: func(b base) migration.Step { return &snapshot{base: b} }},
		{id: migration.StepLeaseAccess, title: "let kube-controller-manager use the migration lease", reaches: position.P1,
			make: func(b base) migration.Step { return &leaseAccess{base: b} }},
		{id: migration.StepEnable, title: "turn leader migration on in every kube-controller-manager", reaches: position.P2,
			target: migration.Target{ControlPlanes: component.InTreeMigrating, Restarted: true},
			make:   func(b base) migration.Step { return &editing{b, enableLeaderMigration()} }},
		{id: migration.StepCordon, title: "cordon control-plane nodes",
			make: func(b base) migration.Step { return &cordon{base: b} }},
		{id: migration.StepInstall, title: "install the cloud controller manager beside them", reaches: position.P3,
			make: func(b base) migration.Step { return &install{base: b} }},
		{id: migration.StepHandOver, title: "let the cloud controller manager take over, while it can still be taken back",
			make: func(b base) migration.Step { return &handOver{base: b} }},
		{id: migration.StepSwitch, title: "switch every component to the external provider", reaches: position.P4,
			target: migration.Target{ControlPlanes: component.External, Kubelets: migration.KubeletExternal, Restarted: true},
			make:   func(b base) migration.Step { return &editing{b, switchProvider(b.Options.EarlyHandOver)} }},
		{id: migration.StepUncordon, title: "give back the cordons",
			make: func(b base) migration.Step { return &uncordon{base: b} }},
		{id: migration.StepVerify, title: "audit the cluster against the fingerprint",
			make: func(b base) migration.Step { return &finalAudit{base: b} }},
		{id: migration.StepDisable, title: "turn leader migration off, remove lease and grant", reaches: position.P5,
			make: func(b base) migration.Step { return &disable{base: b} }},
		{id: migration.StepUpgrade, title: "upgrade Kubernetes", irreversible: "Kubernetes 1.27 and later have no in-tree AWS provider to go back to",
			make: func(b base) migration.Step { return &editing{b, upgradeKubernetes(b.Options.KubernetesVersion)} }},
	}
}

// backward are the steps that only an undo has, in their order.
func backward() []row {
	return []row{
		{id: migration.StepUndoPreflight, title: "see that there is a way back",
			make: func(b base) migration.Step { return &undoPreflight{base: b} }},
		{id: migration.StepUndoDisable, title: "turn leader migration on again in the cloud controller manager", undoes: migration.StepDisable,
			make: func(b base) migration.Step { return &undoDisable{base: b} }},
		{id: migration.StepUndoSwitch, title: "switch every component back to the in-tree provider, with leader migration", undoes: migration.StepSwitch,
			target: migration.Target{ControlPlanes: component.InTreeMigrating, Kubelets: migration.KubeletInTree},
			make:   func(b base) migration.Step { return &editing{b, switchBack()} }},
		{id: migration.StepUndoInstall, title: "uninstall the cloud controller manager", undoes: migration.StepInstall,
			make: func(b base) migration.Step { return &undoInstall{base: b} }},
		{id: migration.StepUndoEnable, title: "turn leader migration off in every kube-controller-manager", undoes: migration.StepEnable,
			target: migration.Target{ControlPlanes: component.InTree},
			make:   func(b base) migration.Step { return &editing{b, disableLeaderMigrationAgain()} }},
		{id: migration.StepUndoAccess, title: "remove migration lease and grant", undoes: migration.StepLeaseAccess,
			make: func(b base) migration.Step { return &undoAccess{base: b} }},
	}
}

// order gives the steps in force. With a HelmChart document the install comes before
// the cordon: its Job must run on a control plane and does not tolerate one
// (k3s-io/helm-controller:pkg/controllers/chart/chart.go@v0.15.9).
func order(o migration.Options) []journal.StepID {
	left := map[journal.StepID]bool{migration.StepUpgrade: o.KubernetesVersion == "", migration.StepHandOver: !o.EarlyHandOver}
	ids := slices.DeleteFunc(idsOf(forward()), func(id journal.StepID) bool { return left[id] })
	if o.InstallMethod == migration.InstallManifest {
		ids = slices.DeleteFunc(ids, func(id journal.StepID) bool { return id == migration.StepInstall })
		ids = slices.Insert(ids, slices.Index(ids, migration.StepCordon), migration.StepInstall)
	}
	return ids
}

// undoOrder gives cordons back before the chart goes: the Job that removes a
// HelmChart does not tolerate them. An audit ends it.
func undoOrder() []journal.StepID {
	ids := idsOf(backward())
	return append(slices.Insert(ids, slices.Index(ids, migration.StepUndoInstall), migration.StepUncordon), migration.StepVerify)
}

func idsOf(rows []row) []journal.StepID {
	ids := make([]journal.StepID, 0, len(rows))
	for _, r := range rows {
		ids = append(ids, r.id)
	}
	return ids
}

// rowOf is the row of a step; zero of one that there is not.
func rowOf(id journal.StepID) row {
	for _, r := range slices.Concat(forward(), backward()) {
		if r.id == id {
			return r
		}
	}
	return row{}
}

// reaches is the position that a step brings the cluster to; P0: none of its own.
func reaches(id journal.StepID) position.Position { return rowOf(id).reaches }

// stepTo is the step that brings the cluster to a position; "": none does.
func stepTo(p position.Position) journal.StepID {
	for _, r := range forward() {
		if r.reaches == p && p != position.P0 {
			return r.id
		}
	}
	return ""
}

// undoes is the step that a step of an undo takes back; "": it is none.
func undoes(id journal.StepID) journal.StepID { return rowOf(id).undoes }

// undoStep is the step that takes a step back; "": none, or nothing to take back.
func undoStep(of journal.StepID) journal.StepID {
	for _, r := range backward() {
		if of != "" && r.undoes == of {
			return r.id
		}
	}
	return ""
}

// changesModes reports whether the edit of a step changes how kube-controller-managers run.
func changesModes(id journal.StepID) bool {
	return rowOf(id).target.ControlPlanes != component.ModeUnknown
}

// EditingOf describes a step to a Backend. Of one that edits nothing the target is zero.
func EditingOf(id journal.StepID, o migration.Options) migration.Editing {
	r := rowOf(id)
	step := migration.Editing{ID: id, Undoes: r.undoes, Target: r.target}
	if id == migration.StepUpgrade {
		step.Target.Version = o.KubernetesVersion
	}
	return step
}

// StepsTo returns an editing step behind those whose edits its own is planned on top of: the
// earlier ones that may not be made yet.
func StepsTo(o migration.Options, seen migration.Snapshot, id journal.StepID) []migration.Editing {
	ids := order(o)
	if undoes(id) != "" {
		ids = undoOrder()
	}
	var steps []migration.Editing
	for _, earlier := range ids[:max(0, slices.Index(ids, id))] {
		if changesModes(id) && changesModes(earlier) && ahead(seen, earlier) {
			steps = append(steps, EditingOf(earlier, o))
		}
	}
	return append(steps, EditingOf(id, o))
}

// ahead reports whether the configuration may lack the edit of a step.
func ahead(seen migration.Snapshot, id journal.StepID) bool {
	if undone := undoes(id); undone != "" {
		return seen.Result.MayHaveReached(reaches(undone)) || seen.Record.Begun(undone)
	}
	return seen.Result.Position < reaches(id)
}

// rolls reports whether the owner of a rollout goes on with a step's change after our write.
func rolls(o migration.Options, id journal.StepID) bool {
	if id == migration.StepInstall {
		return o.InstallMethod == migration.InstallManifest
	}
	return undoes(id) == "" && (changesModes(id) || id == migration.StepUpgrade)
}

// undoFrom is the position that an undo step brings the cluster back from.
func undoFrom(id journal.StepID) position.Position { return reaches(undoes(id)) }

// StepsAt are the step that leads on from a position, and the one that leads back; "":
// there is none.
func StepsAt(p position.Position) (on, back journal.StepID) {
	return stepTo(p + 1), undoStep(stepTo(p))
}

// StepInfos describes every step there is, in the default order.
func StepInfos() []runner.Info { return infosOf(forward()) }

// UndoStepInfos describes the steps that only an undo has, in their order.
func UndoStepInfos() []runner.Info { return infosOf(backward()) }

// UndoOrder describes every step of an undo, in its order.
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
	if r.undoes != "" || r.id == migration.StepUndoPreflight {
		doc = "going-back.md"
	}
	return runner.Info{ID: r.id, Title: r.title, Doc: doc, Irreversible: r.irreversible}
}
