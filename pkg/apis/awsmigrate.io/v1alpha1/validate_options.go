package v1alpha1

import (
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (o *Options) validate(at *field.Path) field.ErrorList {
	errs := oneOf(at.Child("endState"), o.EndState, EndStateAuto, EndStateExternal, EndStateOverrides)
	errs = append(errs, oneOf(at.Child("installMethod"), o.InstallMethod, InstallHelm, InstallAdditionalManifest)...)
	errs = append(errs, oneOf(at.Child("handOver"), o.HandOver, HandOverEarly, HandOverNatural)...)
	errs = append(errs, oneOf(at.Child("cloudRoutes"), o.CloudRoutes, Enabled, Disabled)...)
	errs = append(errs, oneOf(at.Child("etcdSnapshot"), o.EtcdSnapshot, Enabled, Disabled)...)
	errs = append(errs, oneOf(at.Child("keepLeaderMigration"), o.KeepLeaderMigration, Enabled, Disabled)...)
	errs = append(errs, length.check(at.Child("timeout"), o.Timeout)...)
	errs = append(errs, within(at.Child("timeout"), o.Timeout, time.Minute, 24*time.Hour)...)
	errs = append(errs, atMost(at.Child("ownerInformed"), len(o.OwnerInformed), maxOwners)...)
	for i, owner := range o.OwnerInformed {
		errs = append(errs, ownerWord.required(at.Child("ownerInformed").Index(i), owner)...)
	}
	errs = append(errs, skipped(at.Child("skipChecks"), o.SkipChecks)...)
	errs = append(errs, o.CCM.validate(at.Child("ccm"))...)
	return append(errs, o.AWS.validate(at.Child("aws"))...)
}

func skipped(at *field.Path, checks []SkippedCheck) field.ErrorList {
	errs := atMost(at, len(checks), maxSkipped)
	seen := map[string]bool{}
	for i, check := range checks {
		errs = append(errs, checkID.required(at.Index(i).Child("id"), check.ID)...)
		errs = append(errs, skipReason.required(at.Index(i).Child("reason"), check.Reason)...)
		if seen[check.ID] {
			errs = append(errs, field.Duplicate(at.Index(i), check.ID))
		}
		seen[check.ID] = true
	}
	return errs
}

func (c *CCM) validate(at *field.Path) field.ErrorList {
	errs := image.check(at.Child("image"), c.Image)
	errs = append(errs, chartValues(at.Child("values"), c.Values)...)
	if ref := c.CloudConfigSecretRef; ref != nil {
		errs = append(errs, ref.validate(at.Child("cloudConfigSecretRef"))...)
		errs = append(errs, secretKey.required(at.Child("cloudConfigSecretRef", "key"), ref.Key)...)
	}
	return errs
}

// chartValues returns an error unless the values are a map of bounded size. They are
// rendered once for each plan.
func chartValues(at *field.Path, values *runtime.RawExtension) field.ErrorList {
	if values == nil || len(values.Raw) == 0 {
		return nil
	}
	if len(values.Raw) > maxValueBytes {
		return field.ErrorList{field.TooLong(at, "", maxValueBytes)}
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(values.Raw, &keys); err != nil {
		return field.ErrorList{field.TypeInvalid(at, "", fmt.Sprintf("must be a map: %v", err))}
	}
	if len(keys) > maxValueKeys {
		return field.ErrorList{field.TooMany(at, len(keys), maxValueKeys)}
	}
	return nil
}

func (a *AWS) validate(at *field.Path) field.ErrorList {
	errs := oneOf(at.Child("mode"), a.Mode, AWSAuto, AWSEnabled, AWSDisabled)
	errs = append(errs, region.check(at.Child("region"), a.Region)...)
	errs = append(errs, roleARN.check(at.Child("assumeRole"), a.AssumeRole)...)
	if a.SecretRef != nil {
		errs = append(errs, a.SecretRef.validate(at.Child("secretRef"))...)
	}
	return errs
}

func (s *Secret) validate(at *field.Path) field.ErrorList {
	return secretName.required(at.Child("name"), s.Name)
}
