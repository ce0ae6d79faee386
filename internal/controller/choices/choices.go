package choices

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
)

// Of are the fields of an object as the flags of the command line would have them.
// They name no Secret yet: see Secrets.
func Of(spec v1alpha1.ClusterMigrationSpec) (session.Choices, error) {
	o := spec.Options
	handsOver := spec.Edits == v1alpha1.EditsHandoff
	c := session.Choices{EndState: rke2checks.EndState(lowered(string(o.EndState), "auto"))}
	c.Options = migration.Options{
		InstallMethod:       installMethod(o.InstallMethod),
		Snapshot:            o.EtcdSnapshot == v1alpha1.Enabled || o.EtcdSnapshot == "" && !handsOver,
		KeepLeaderMigration: o.KeepLeaderMigration == v1alpha1.Enabled,
		DisableAsked:        o.KeepLeaderMigration == v1alpha1.Disabled,
		EarlyHandOver:       o.HandOver == v1alpha1.HandOverEarly || o.HandOver == v1alpha1.HandOverClear,
		ClearFence:          o.HandOver == v1alpha1.HandOverClear,
		CloudRoutes:         map[v1alpha1.Switch]string{v1alpha1.Enabled: "on", v1alpha1.Disabled: "off"}[o.CloudRoutes],
		CCMImage:            o.CCM.Image,
		AWS:                 map[v1alpha1.AWSMode]string{"": "auto", v1alpha1.AWSAuto: "auto", v1alpha1.AWSEnabled: "on", v1alpha1.AWSDisabled: "off"}[o.AWS.Mode],
		Region:              o.AWS.Region, AssumeRole: o.AWS.AssumeRole,
		OwnersInformed: o.OwnerInformed, HandOver: handsOver,
		Skip: map[string]string{}, Values: map[string]any{},
	}
	for _, skipped := range o.SkipChecks {
		c.Skip[skipped.ID] = skipped.Reason
	}
	if o.CCM.Values != nil && len(o.CCM.Values.Raw) > 0 {
		if err := json.Unmarshal(o.CCM.Values.Raw, &c.Values); err != nil {
			return c, fault.AsUsage(fmt.Errorf("spec.options.ccm.values: %w", err))
		}
	}
	return c, nil
}

// OrElse completes what an object says of AWS by what the installation says. The
// installation's role is for its own identity: whose object names a Secret does not get it.
func OrElse(object, installation v1alpha1.AWS) v1alpha1.AWS {
	if object.Mode == "" {
		object.Mode = installation.Mode
	}
	if object.Region == "" {
		object.Region = installation.Region
	}
	if object.AssumeRole == "" && object.SecretRef == nil {
		object.AssumeRole = installation.AssumeRole
	}
	return object
}

func lowered(word, otherwise string) string {
	if word == "" {
		return otherwise
	}
	return strings.ToLower(word)
}

func installMethod(m v1alpha1.InstallMethod) migration.InstallMethod {
	if m == v1alpha1.InstallAdditionalManifest {
		return migration.InstallManifest
	}
	return migration.InstallHelm
}

// Timeout is the longest time without progress; zero: the engine's.
func Timeout(o v1alpha1.Options) time.Duration {
	longest, err := time.ParseDuration(o.Timeout)
	if err != nil {
		return 0 // Validate has refused what is none
	}
	return longest
}
