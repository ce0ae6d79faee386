package rke2

import "github.com/awsmigrate/awsmigrate/pkg/migration"

// The steps that differ between distributions, by the names they share.
const (
	StepSnapshot = migration.StepSnapshot
	StepEnable   = migration.StepEnable
	StepInstall  = migration.StepInstall
	StepSwitch   = migration.StepSwitch
	StepUpgrade  = migration.StepUpgrade
)
