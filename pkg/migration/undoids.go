package migration

import (
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// The steps of an undo, named after what they take back.
const (
	StepUndoPreflight runner.StepID = "undo-preflight"
	StepUndoDisable   runner.StepID = "undo-disable-leader-migration"
	StepUndoSwitch    runner.StepID = "undo-switch-provider"
	StepUndoInstall   runner.StepID = "undo-install-ccm"
	StepUndoEnable    runner.StepID = "undo-enable-leader-migration"
	StepUndoAccess    runner.StepID = "undo-lease-access"
)

// undoes are the steps of a migration by those that take them back.
var undoes = map[runner.StepID]runner.StepID{
	StepUndoDisable: StepDisable,
	StepUndoSwitch:  StepSwitch,
	StepUndoInstall: StepInstall,
	StepUndoEnable:  StepEnable,
	StepUndoAccess:  StepLeaseAccess,
}

var undoInfos = map[runner.StepID]runner.Info{
	StepUndoPreflight: {ID: StepUndoPreflight, Title: "see that there is a way back"},
	StepUndoDisable:   {ID: StepUndoDisable, Title: "turn leader migration on again in the cloud controller manager"},
	StepUndoSwitch:    {ID: StepUndoSwitch, Title: "switch every component back to the in-tree provider, with leader migration"},
	StepUndoInstall:   {ID: StepUndoInstall, Title: "uninstall the cloud controller manager"},
	StepUndoEnable:    {ID: StepUndoEnable, Title: "turn leader migration off in every kube-controller-manager"},
	StepUndoAccess:    {ID: StepUndoAccess, Title: "remove migration lease and grant"},
}

// undoOrder gives cordons back before the chart goes: the Job that removes a
// HelmChart does not tolerate them.
func undoOrder() []runner.StepID {
	return []runner.StepID{StepUndoPreflight, StepUndoDisable, StepUndoSwitch, StepUncordon, StepUndoInstall,
		StepUndoEnable, StepUndoAccess, StepVerify}
}

// undoOf is the step that an undo step takes back.
func undoOf(id runner.StepID) (runner.StepID, bool) {
	of, ok := undoes[id]
	return of, ok
}

// undoStep is the step that takes a step back; "": none, or nothing to take back.
func undoStep(of runner.StepID) runner.StepID {
	for undo, forward := range undoes {
		if forward == of {
			return undo
		}
	}
	return ""
}

// undoFrom is the position that an undo step brings the cluster back from.
func undoFrom(id runner.StepID) position.Position { return reaches[undoes[id]] }

// UndoStepInfos describes the steps that only an undo has, in their order.
func UndoStepInfos() []runner.Info {
	var all []runner.Info
	for _, id := range undoOrder() {
		if _, ok := undoInfos[id]; ok {
			all = append(all, info(id))
		}
	}
	return all
}
