package v1alpha1

import (
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Bounds of a spec, equal to its markers.
const (
	maxWindows    = 14
	maxOwners     = 8
	maxSkipped    = 64
	maxValueKeys  = 64
	maxValueBytes = 64 << 10 // of ccm.values, as JSON; a schema cannot bound it
)

// Validate checks every rule of the schema again, and rules that a schema cannot express.
// An API server without CEL, or with an older definition, does not check all of them. An
// object that breaks a rule is Stalled/Invalid and is never carried out.
func (m *ClusterMigration) Validate() field.ErrorList {
	at, spec := field.NewPath("spec"), &m.Spec
	errs := field.ErrorList{}
	errs = append(errs, oneOf(at.Child("goal"), spec.Goal, GoalAudit, GoalMigrate, GoalUndo)...)
	errs = append(errs, planHash.check(at.Child("approvedPlan"), spec.ApprovedPlan)...)
	errs = append(errs, oneOf(at.Child("until"), spec.Until, Steps()...)...)
	errs = append(errs, oneOf(at.Child("edits"), spec.Edits, EditsApply, EditsHandoff)...)
	errs = append(errs, spec.checkHandoff(at)...)
	errs = append(errs, atMost(at.Child("windows"), len(spec.Windows), maxWindows)...)
	for i, window := range spec.Windows {
		errs = append(errs, window.validate(at.Child("windows").Index(i))...)
	}
	return append(errs, spec.Options.validate(at.Child("options"))...)
}

// checkHandoff returns an error if Handoff is combined with AdditionalManifest. The command
// line refuses both together, too (pkg/migration, Options).
func (s *ClusterMigrationSpec) checkHandoff(at *field.Path) field.ErrorList {
	if s.Edits == EditsHandoff && s.Options.InstallMethod == InstallAdditionalManifest {
		return field.ErrorList{field.Invalid(at, s.Edits, "edits Handoff does not go with options.installMethod AdditionalManifest, which is an edit as well")}
	}
	return nil
}

func (w Window) validate(at *field.Path) field.ErrorList {
	errs := schedule.required(at.Child("schedule"), w.Schedule)
	errs = append(errs, windowLength.required(at.Child("duration"), w.Duration)...)
	errs = append(errs, within(at.Child("duration"), w.Duration, 30*time.Minute, 7*24*time.Hour)...)
	return append(errs, timeZone.check(at.Child("timeZone"), w.TimeZone)...)
}
