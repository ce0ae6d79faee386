package migration

import "github.com/awsmigrate/awsmigrate/pkg/runner/journal"

// The steps of a migration. Names follow Rancher's guide where it has one.
const (
	StepPreflight   journal.StepID = "preflight"
	StepSnapshot    journal.StepID = "etcd-snapshot"
	StepLeaseAccess journal.StepID = "lease-access"
	StepEnable      journal.StepID = "enable-leader-migration"
	StepCordon      journal.StepID = "cordon"
	StepInstall     journal.StepID = "install-ccm"
	StepHandOver    journal.StepID = "hand-over"
	StepSwitch      journal.StepID = "switch-provider"
	StepUncordon    journal.StepID = "uncordon"
	StepVerify      journal.StepID = "verify"
	StepDisable     journal.StepID = "disable-leader-migration"
	StepUpgrade     journal.StepID = "upgrade"
)

// The steps of an undo, named after the steps that they undo.
const (
	StepUndoPreflight journal.StepID = "undo-preflight"
	StepUndoDisable   journal.StepID = "undo-disable-leader-migration"
	StepUndoSwitch    journal.StepID = "undo-switch-provider"
	StepUndoInstall   journal.StepID = "undo-install-ccm"
	StepUndoEnable    journal.StepID = "undo-enable-leader-migration"
	StepUndoAccess    journal.StepID = "undo-lease-access"
)
