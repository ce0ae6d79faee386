package choices

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
)

// An empty field has the flag's default.
func TestOf(t *testing.T) {
	plain := func() session.Choices {
		c := session.Choices{Options: migration.Options{InstallMethod: migration.InstallHelm, Snapshot: true, EarlyHandOver: true, AWS: "auto"}}
		c.RKE2.EndState = rke2checks.EndAuto
		return c
	}
	for name, tt := range map[string]struct {
		spec v1alpha1.ClusterMigrationSpec
		want func(*session.Choices)
	}{
		"nothing":     {v1alpha1.ClusterMigrationSpec{}, func(*session.Choices) {}},
		"handoff":     {v1alpha1.ClusterMigrationSpec{Edits: v1alpha1.EditsHandoff}, func(c *session.Choices) { c.HandOver, c.Snapshot = true, false }},
		"snapshot":    {v1alpha1.ClusterMigrationSpec{Edits: v1alpha1.EditsHandoff, Options: v1alpha1.Options{EtcdSnapshot: v1alpha1.Enabled}}, func(c *session.Choices) { c.HandOver = true }},
		"no snapshot": {v1alpha1.ClusterMigrationSpec{Options: v1alpha1.Options{EtcdSnapshot: v1alpha1.Disabled}}, func(c *session.Choices) { c.Snapshot = false }},
		"early":       {v1alpha1.ClusterMigrationSpec{Options: v1alpha1.Options{HandOver: v1alpha1.HandOverEarly}}, func(*session.Choices) {}},
		"natural":     {v1alpha1.ClusterMigrationSpec{Options: v1alpha1.Options{HandOver: v1alpha1.HandOverNatural}}, func(c *session.Choices) { c.EarlyHandOver = false }},
		"kept":        {v1alpha1.ClusterMigrationSpec{Options: v1alpha1.Options{KeepLeaderMigration: v1alpha1.Enabled}}, func(c *session.Choices) { c.KeepLeaderMigration = true }},
		"not kept":    {v1alpha1.ClusterMigrationSpec{Options: v1alpha1.Options{KeepLeaderMigration: v1alpha1.Disabled}}, func(c *session.Choices) { c.DisableAsked = true }},
		"words": {v1alpha1.ClusterMigrationSpec{Options: v1alpha1.Options{EndState: v1alpha1.EndStateOverrides, InstallMethod: v1alpha1.InstallAdditionalManifest, CloudRoutes: v1alpha1.Disabled, AWS: v1alpha1.AWS{Mode: v1alpha1.AWSDisabled, Region: "eu-central-1", AssumeRole: "arn"}}},
			func(c *session.Choices) {
				c.RKE2.EndState, c.InstallMethod, c.CloudRoutes, c.AWS, c.Region, c.AssumeRole = rke2checks.EndOverrides, migration.InstallManifest, "off", "off", "eu-central-1", "arn"
			}},
		"lists": {v1alpha1.ClusterMigrationSpec{Options: v1alpha1.Options{OwnerInformed: []string{"fleet"}, SkipChecks: []v1alpha1.SkippedCheck{{ID: "AWSM-101", Reason: "because it is so"}}, CCM: v1alpha1.CCM{Image: "i", Values: &runtime.RawExtension{Raw: []byte(`{"a":{"b":1}}`)}}}},
			func(c *session.Choices) {
				c.OwnersInformed, c.Skip, c.CCMImage, c.Values = []string{"fleet"}, map[string]string{"AWSM-101": "because it is so"}, "i", map[string]any{"a": map[string]any{"b": 1.0}}
			}},
	} {
		want := plain()
		tt.want(&want)
		got, err := Of(tt.spec, session.RKE2)
		got.RKE2.Options, got.RKE.Options = migration.Options{}, migration.Options{} // session.Choices has these once
		if d := cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })); err != nil || d != "" {
			t.Errorf("%s: %v\n%s", name, err, d)
		}
	}
	if _, err := Of(v1alpha1.ClusterMigrationSpec{Options: v1alpha1.Options{CCM: v1alpha1.CCM{Values: &runtime.RawExtension{Raw: []byte(`[]`)}}}}, session.RKE2); err == nil {
		t.Error("values that are a list went through")
	}
	for text, want := range map[string]time.Duration{"": 0, "15m": 15 * time.Minute, "1h30m": 90 * time.Minute} {
		if got := Timeout(v1alpha1.Options{Timeout: text}); got != want {
			t.Errorf("%q is %s", text, got)
		}
	}
}

// An RKE cluster has the defaults of RKE, and refuses the options of RKE2.
func TestOf_rke(t *testing.T) {
	for name, tt := range map[string]struct {
		spec    v1alpha1.ClusterMigrationSpec
		refused string
	}{
		"nothing":     {},
		"apply":       {spec: v1alpha1.ClusterMigrationSpec{Edits: v1alpha1.EditsApply}},
		"helm":        {spec: v1alpha1.ClusterMigrationSpec{Options: v1alpha1.Options{InstallMethod: v1alpha1.InstallHelm, EndState: v1alpha1.EndStateAuto}}},
		"no snapshot": {spec: v1alpha1.ClusterMigrationSpec{Options: v1alpha1.Options{EtcdSnapshot: v1alpha1.Disabled}}},
		"snapshot":    {v1alpha1.ClusterMigrationSpec{Options: v1alpha1.Options{EtcdSnapshot: v1alpha1.Enabled}}, "spec.options.etcdSnapshot"},
		"handoff":     {v1alpha1.ClusterMigrationSpec{Edits: v1alpha1.EditsHandoff}, "spec.edits"},
		"manifest":    {v1alpha1.ClusterMigrationSpec{Options: v1alpha1.Options{InstallMethod: v1alpha1.InstallAdditionalManifest}}, "spec.options.installMethod"},
		"end state":   {v1alpha1.ClusterMigrationSpec{Options: v1alpha1.Options{EndState: v1alpha1.EndStateOverrides}}, "spec.options.endState"},
	} {
		c, err := Of(tt.spec, session.RKE)
		if f, _ := fault.As(err); (err != nil) != (tt.refused != "") || err != nil && f.Object != tt.refused {
			t.Errorf("%s: %v", name, err)
			continue
		}
		target := session.Target{Kind: session.RKE, Name: "c-abcde", RequestTimeout: time.Second}
		if invalid := target.Validate(session.Options{Choices: c}); err == nil && (invalid != nil || c.Snapshot || c.HandOver || !c.EarlyHandOver) {
			t.Errorf("%s: %v, %+v", name, invalid, c.Options)
		}
	}
}

// Each field of an object takes precedence. The installation's role is only for the
// installation's identity.
func TestOrElse(t *testing.T) {
	own := v1alpha1.AWS{Mode: v1alpha1.AWSEnabled, Region: "eu-central-1", AssumeRole: "arn:own"}
	secret := &v1alpha1.Secret{Name: "keys"}
	for name, tt := range map[string]struct{ object, want v1alpha1.AWS }{
		"nothing":  {v1alpha1.AWS{}, own},
		"all":      {v1alpha1.AWS{Mode: v1alpha1.AWSDisabled, Region: "us-east-1", AssumeRole: "arn:other"}, v1alpha1.AWS{Mode: v1alpha1.AWSDisabled, Region: "us-east-1", AssumeRole: "arn:other"}},
		"region":   {v1alpha1.AWS{Region: "us-east-1"}, v1alpha1.AWS{Mode: v1alpha1.AWSEnabled, Region: "us-east-1", AssumeRole: "arn:own"}},
		"a Secret": {v1alpha1.AWS{SecretRef: secret}, v1alpha1.AWS{Mode: v1alpha1.AWSEnabled, Region: "eu-central-1", SecretRef: secret}},
		"with one": {v1alpha1.AWS{SecretRef: secret, AssumeRole: "arn:other"}, v1alpha1.AWS{Mode: v1alpha1.AWSEnabled, Region: "eu-central-1", SecretRef: secret, AssumeRole: "arn:other"}},
	} {
		if diff := cmp.Diff(tt.want, OrElse(tt.object, own)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestAllows(t *testing.T) {
	for names, want := range map[string]bool{"": false, "prod": true, "other": false, "prod-2": false, "other,prod": true, "other, prod": true, "xprod": false, "*": false} {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{authorized: names}}}
		if got := allows(secret, "prod"); got != want {
			t.Errorf("authorized for %q: %t", names, got)
		}
	}
	const kubeconfig = "apiVersion: v1\nclusters: []\ncontexts: []\nusers:\n- name: a\n  user: {exec: {command: sh}}\n"
	for text, want := range map[string]bool{kubeconfig: true, "[Global]\nZone = eu-central-1a\n": false, strings.ReplaceAll(`{"clusters":[],"users":[],"contexts":[]}`, ":", " : "): true} {
		if got := isKubeconfig([]byte(text)); got != want {
			t.Errorf("%q is a kubeconfig: %t", text, got)
		}
	}
}
