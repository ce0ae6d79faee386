package v1alpha1_test

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// whole holds a valid object with every field of a spec.
const whole = `{
  "apiVersion": "awsmigrate.io/v1alpha1", "kind": "ClusterMigration",
  "metadata": {"name": "prod", "namespace": "default"},
  "spec": {
    "goal": "Migrate", "approvedPlan": "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "paused": true, "until": "verify", "edits": "Handoff",
    "windows": [{"schedule": "0 22 * * 6", "duration": "4h", "timeZone": "Europe/Berlin"}, {"schedule": "*/5 1-3 1,15 JAN ?", "duration": "90m"}],
    "options": {
      "endState": "Auto", "installMethod": "Helm", "handOver": "Early", "cloudRoutes": "Enabled", "etcdSnapshot": "Disabled", "keepLeaderMigration": "Enabled",
      "timeout": "1h30m", "ownerInformed": ["terraform"],
      "skipChecks": [{"id": "AWSM-204", "reason": "was seen by hand"}, {"id": "AWSM-205", "reason": "was seen by hand"}],
      "ccm": {"image": "registry.example:5000/ccm/aws:v1.26.14@sha256:abc", "values": {"nodeSelector": {"a": "b"}}, "cloudConfigSecretRef": {"name": "cloud.config", "key": "aws.conf"}},
      "aws": {"mode": "Auto", "region": "eu-central-1", "assumeRole": "arn:aws-cn:iam::123456789012:role/path/to@role", "secretRef": {"name": "aws-keys"}}
    }
  }
}`

// object returns whole with other values at some paths; nil removes a field.
func object(t *testing.T, changes map[string]any) *unstructured.Unstructured {
	t.Helper()
	obj := map[string]any{}
	if err := json.Unmarshal([]byte(whole), &obj); err != nil {
		t.Fatal(err)
	}
	for path, value := range changes {
		set(obj, strings.Split(path, "."), value)
	}
	return &unstructured.Unstructured{Object: obj}
}

// set sets a field by its path. In a list it follows the first element.
func set(in map[string]any, path []string, value any) {
	switch next := in[path[0]].(type) {
	case map[string]any:
		if len(path) > 1 {
			set(next, path[1:], value)
			return
		}
	case []any:
		if len(path) > 1 {
			set(next[0].(map[string]any), path[1:], value)
			return
		}
	}
	if in[path[0]] = value; value == nil {
		delete(in, path[0])
	}
}

// many returns a list with n elements.
func many(n int, item func(i int) any) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = item(i)
	}
	return list
}

// keys returns a map with n keys.
func keys(n int) map[string]any {
	m := map[string]any{}
	for i := range n {
		m[strings.Repeat("k", i+1)] = true
	}
	return m
}

// broken lists, for every rule of a spec's schema, changes to whole that break the rule.
func broken() map[string]map[string]any {
	long := strings.Repeat
	window := func(int) any { return map[string]any{"schedule": "0 22 * * 6", "duration": "4h"} }
	skip := func(i int) any {
		return map[string]any{"id": "AWSM-" + string([]byte{'1', byte('0' + i/10), byte('0' + i%10)}), "reason": "was seen by hand"}
	}
	same := func(int) any { return map[string]any{"id": "AWSM-204", "reason": "was seen by hand"} }
	one := func(path string, value any) map[string]any { return map[string]any{path: value} }
	o := "spec.options."
	return map[string]map[string]any{
		"spec.goal enum":              one("spec.goal", "Upgrade"),
		"spec.approvedPlan pattern":   one("spec.approvedPlan", "sha256:0123456789ab"),
		"spec.approvedPlan maxLength": one("spec.approvedPlan", "sha256:"+long("0", 65)),
		"spec.until enum":             one("spec.until", "upgrade"),
		"spec.edits enum":             one("spec.edits", "handoff"),
		"spec edits Handoff does not go with options.installMethod AdditionalManifest, which is an edit as well": one(o+"installMethod", "AdditionalManifest"),
		"spec.windows maxItems":                                one("spec.windows", many(15, window)),
		"spec.windows[].schedule required":                     one("spec.windows.schedule", nil),
		"spec.windows[].schedule pattern":                      one("spec.windows.schedule", "0 22 * *"),
		"spec.windows[].schedule maxLength":                    one("spec.windows.schedule", "0 22 * * "+long("6,", 60)),
		"spec.windows[].duration required":                     one("spec.windows.duration", nil),
		"spec.windows[].duration pattern":                      one("spec.windows.duration", "1h1s"),
		"spec.windows[].duration minLength":                    one("spec.windows.duration", "4"),
		"spec.windows[].duration maxLength":                    one("spec.windows.duration", "00000004h"),
		"spec.windows[].duration must be from 30m to 168h":     one("spec.windows.duration", "29m"),
		"spec.windows[].timeZone pattern":                      one("spec.windows.timeZone", "/etc/localtime"),
		"spec.windows[].timeZone maxLength":                    one("spec.windows.timeZone", long("Z", 65)),
		"spec.options.endState enum":                           one(o+"endState", "external"),
		"spec.options.installMethod enum":                      one(o+"installMethod", "Kubectl"),
		"spec.options.cloudRoutes enum":                        one(o+"cloudRoutes", "on"),
		"spec.options.etcdSnapshot enum":                       one(o+"etcdSnapshot", "true"),
		"spec.options.handOver enum":                           one(o+"handOver", "early"),
		"spec.options.keepLeaderMigration enum":                one(o+"keepLeaderMigration", "false"),
		"spec.options.timeout pattern":                         one(o+"timeout", "900s"),
		"spec.options.timeout maxLength":                       one(o+"timeout", "00000015m"),
		"spec.options.timeout must be from 1m to 24h":          one(o+"timeout", "25h"),
		"spec.options.ownerInformed maxItems":                  one(o+"ownerInformed", many(9, func(int) any { return "fleet" })),
		"spec.options.ownerInformed[] pattern":                 one(o+"ownerInformed", []any{"Terra form"}),
		"spec.options.ownerInformed[] maxLength":               one(o+"ownerInformed", []any{long("t", 65)}),
		"spec.options.skipChecks maxItems":                     one(o+"skipChecks", many(65, skip)),
		"spec.options.skipChecks x-kubernetes-list-type":       one(o+"skipChecks", many(2, same)),
		"spec.options.skipChecks[].id required":                one(o+"skipChecks.id", nil),
		"spec.options.skipChecks[].id pattern":                 one(o+"skipChecks.id", "AWSM-20"),
		"spec.options.skipChecks[].id maxLength":               one(o+"skipChecks.id", "AWSM-2040"),
		"spec.options.skipChecks[].reason required":            one(o+"skipChecks.reason", nil),
		"spec.options.skipChecks[].reason minLength":           one(o+"skipChecks.reason", "because"),
		"spec.options.skipChecks[].reason maxLength":           one(o+"skipChecks.reason", long("x", 257)),
		"spec.options.ccm.image pattern":                       one(o+"ccm.image", "-rm image"),
		"spec.options.ccm.image maxLength":                     one(o+"ccm.image", long("i", 513)),
		"spec.options.ccm.values maxProperties":                one(o+"ccm.values", keys(65)),
		"spec.options.ccm.cloudConfigSecretRef.name required":  one(o+"ccm.cloudConfigSecretRef.name", nil),
		"spec.options.ccm.cloudConfigSecretRef.name pattern":   one(o+"ccm.cloudConfigSecretRef.name", "../other"),
		"spec.options.ccm.cloudConfigSecretRef.name maxLength": one(o+"ccm.cloudConfigSecretRef.name", long("n", 254)),
		"spec.options.ccm.cloudConfigSecretRef.key required":   one(o+"ccm.cloudConfigSecretRef.key", nil),
		"spec.options.ccm.cloudConfigSecretRef.key pattern":    one(o+"ccm.cloudConfigSecretRef.key", "a/b"),
		"spec.options.ccm.cloudConfigSecretRef.key maxLength":  one(o+"ccm.cloudConfigSecretRef.key", long("k", 254)),
		"spec.options.aws.mode enum":                           one(o+"aws.mode", "on"),
		"spec.options.aws.region pattern":                      one(o+"aws.region", "EU"),
		"spec.options.aws.region maxLength":                    one(o+"aws.region", long("r", 33)),
		"spec.options.aws.assumeRole pattern":                  one(o+"aws.assumeRole", "arn:aws:iam::1:user/me"),
		"spec.options.aws.assumeRole maxLength":                one(o+"aws.assumeRole", "arn:aws:iam::123456789012:role/"+long("r", 640)),
		"spec.options.aws.secretRef.name required":             one(o+"aws.secretRef.name", nil),
		"spec.options.aws.secretRef.name pattern":              one(o+"aws.secretRef.name", "-aws"),
		"spec.options.aws.secretRef.name maxLength":            one(o+"aws.secretRef.name", long("n", 254)),
	}
}

// refusal holds the errors of code and server for a broken rule.
type refusal struct {
	code   field.ErrorType
	server string
}

// refusalOf returns the errors for a rule of this name.
func refusalOf(rule string) refusal {
	_, keyword, _ := strings.Cut(rule, " ")
	known, ok := map[string]refusal{
		"enum":                   {field.ErrorTypeNotSupported, "Unsupported value"},
		"pattern":                {field.ErrorTypeInvalid, "should match"},
		"minLength":              {field.ErrorTypeInvalid, "should be at least"},
		"maxLength":              {field.ErrorTypeTooLong, "Too long"},
		"maxItems":               {field.ErrorTypeTooMany, "Too many"},
		"maxProperties":          {field.ErrorTypeTooMany, "Too many"},
		"required":               {field.ErrorTypeRequired, "Required value"},
		"x-kubernetes-list-type": {field.ErrorTypeDuplicate, "Duplicate value"},
	}[keyword]
	if !ok { // a rule of CEL, by its message
		return refusal{field.ErrorTypeInvalid, keyword}
	}
	return known
}

// typed returns an object as a client reads it.
func typed(t *testing.T, obj *unstructured.Unstructured) *v1alpha1.ClusterMigration {
	t.Helper()
	text, err := json.Marshal(obj.Object)
	if err != nil {
		t.Fatal(err)
	}
	var m v1alpha1.ClusterMigration
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return &m
}
