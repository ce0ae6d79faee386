package v1alpha1

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Bounds of a rollout's spec, equal to its markers.
const (
	maxWaves      = 32
	maxMembers    = 500
	maxConcurrent = 100
)

// The texts of a rollout's spec.
var (
	waveName   = text{regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`), 0, 63}
	memberName = text{nil, 0, 253}
)

// Validate checks every rule of the schema again, and the selectors. A rollout that breaks a rule
// is Stalled/Invalid, and begins no cluster.
func (r *MigrationRollout) Validate() field.ErrorList {
	at, spec := field.NewPath("spec"), &r.Spec
	errs := oneOf(at.Child("goal"), spec.Goal, GoalMigrate, GoalUndo)
	errs = append(errs, oneOf(at.Child("edits"), spec.Edits, EditsApply, EditsHandoff)...)
	errs = append(errs, validSelector(at.Child("selector"), spec.Selector)...)
	errs = append(errs, from0(at.Child("maxConcurrent"), spec.MaxConcurrent, maxConcurrent)...)
	if len(spec.Waves) == 0 {
		errs = append(errs, field.Required(at.Child("waves"), ""))
	}
	errs = append(errs, atMost(at.Child("waves"), len(spec.Waves), maxWaves)...)
	for i, wave := range spec.Waves {
		one := at.Child("waves").Index(i)
		errs = append(errs, wave.validate(one)...)
		if slices.ContainsFunc(spec.Waves[:i], func(w Wave) bool { return w.Name == wave.Name }) {
			errs = append(errs, field.Duplicate(one.Child("name"), wave.Name))
		}
	}
	return append(errs, spec.Approved.validate(at.Child("approved"), spec.Waves)...)
}

func (w Wave) validate(at *field.Path) field.ErrorList {
	errs := waveName.required(at.Child("name"), w.Name)
	errs = append(errs, atMost(at.Child("clusters"), len(w.Clusters), maxMembers)...)
	for i, name := range w.Clusters {
		errs = append(errs, memberName.required(at.Child("clusters").Index(i), name)...)
		if slices.Contains(w.Clusters[:i], name) {
			errs = append(errs, field.Duplicate(at.Child("clusters").Index(i), name))
		}
	}
	errs = append(errs, validSelector(at.Child("selector"), w.Selector)...)
	errs = append(errs, from0(at.Child("maxConcurrent"), w.MaxConcurrent, maxConcurrent)...)
	errs = append(errs, from0(at.Child("failuresAllowed"), w.FailuresAllowed, maxMembers)...)
	errs = append(errs, length.check(at.Child("deadline"), w.Deadline)...)
	errs = append(errs, within(at.Child("deadline"), w.Deadline, 10*time.Minute, 720*time.Hour)...)
	errs = append(errs, length.check(at.Child("soak"), w.Soak)...)
	return append(errs, within(at.Child("soak"), w.Soak, time.Minute, 720*time.Hour)...)
}

// validate checks an approval. A member of a wave that does not exist would never begin, and never
// be counted.
func (a *RolloutApproval) validate(at *field.Path, waves []Wave) field.ErrorList {
	if a == nil {
		return nil
	}
	errs := oneOf(at.Child("goal"), a.Goal, GoalMigrate, GoalUndo)
	if a.Goal == "" {
		errs = append(errs, field.Required(at.Child("goal"), ""))
	}
	errs = append(errs, atMost(at.Child("members"), len(a.Members), maxMembers)...)
	seen := map[string]bool{}
	for i, member := range a.Members {
		one := at.Child("members").Index(i)
		errs = append(errs, memberName.required(one.Child("cluster"), member.Cluster)...)
		errs = append(errs, planHash.check(one.Child("plan"), member.Plan)...)
		if !slices.ContainsFunc(waves, func(w Wave) bool { return w.Name == member.Wave }) {
			errs = append(errs, field.NotFound(one.Child("wave"), member.Wave))
		}
		if seen[member.Cluster] {
			errs = append(errs, field.Duplicate(one.Child("cluster"), member.Cluster))
		}
		seen[member.Cluster] = true
	}
	return errs
}

func validSelector(at *field.Path, selector *metav1.LabelSelector) field.ErrorList {
	return metavalidation.ValidateLabelSelector(selector, metavalidation.LabelSelectorValidationOptions{}, at)
}

func from0(at *field.Path, value, most int64) field.ErrorList {
	if value >= 0 && value <= most {
		return nil
	}
	return field.ErrorList{field.Invalid(at, value, fmt.Sprintf("must be from 0 to %d", most))}
}
