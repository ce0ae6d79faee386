package rke2

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// The steps that differ between distributions, by the names they share.
const (
	StepSnapshot = migration.StepSnapshot
	StepEnable   = migration.StepEnable
	StepInstall  = migration.StepInstall
	StepSwitch   = migration.StepSwitch
	StepUpgrade  = migration.StepUpgrade
)

// CheckMetas describes every check of an RKE2 migration, without a cluster.
func CheckMetas() []verify.Meta {
	return audit.CheckMetas(wellknown.RKE2, verify.Metas(Checks()...))
}
