package cli

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/access"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/runview"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/handoff"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// schemaAt returns the schema of a field of a ClusterMigration, or nil.
func schemaAt(t *testing.T, path string) map[string]any {
	t.Helper()
	text, err := os.ReadFile("../../charts/awsmigrate-crd/templates/awsmigrate.io_clustermigrations.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var crd struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					OpenAPIV3Schema map[string]any `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	at := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
	for _, name := range strings.Split(path, ".") {
		properties, _ := at["properties"].(map[string]any)
		at, _ = properties[name].(map[string]any)
	}
	return at
}

// leaves returns the paths of the fields of a struct of options.
func leaves(of reflect.Type, path string) []string {
	var all []string
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Type == reflect.TypeFor[v1alpha1.CCM]() || field.Type == reflect.TypeFor[v1alpha1.AWS]() {
			all = append(all, leaves(field.Type, path+"."+name)...)
			continue
		}
		all = append(all, path+"."+name)
	}
	return all
}

// A ClusterMigration can set what a person can set: every field is an option's, with its
// words, and every option of a run has a field or a reason to have none.
func TestOptionsAreFields(t *testing.T) {
	known := map[string]bool{"spec.options.aws.secretRef": true} // a person has an environment
	for _, o := range options.For(options.RKE2 | options.Run) {
		if (o.Path == "") == (o.NotInObject == "") {
			t.Errorf("--%s: field %q, reason to have none %q", o.Flag, o.Path, o.NotInObject)
		}
		if known[o.Path] = true; o.Path == "" {
			continue
		}
		words := slices.Clone(o.Words)
		if o.Kind == options.Switch {
			words = []string{"true", "false"}
		}
		for i := range words {
			words[i] = options.ObjectWord(words[i])
		}
		schema := schemaAt(t, o.Path)
		var taken []string
		enum, _ := schema["enum"].([]any)
		for _, word := range enum {
			taken = append(taken, word.(string))
		}
		if schema == nil || o.Flag != "until" && o.Kind != options.Set && !slices.Equal(slices.Sorted(slices.Values(words)), slices.DeleteFunc(slices.Sorted(slices.Values(taken)), func(word string) bool { return word == "" })) {
			t.Errorf("%s has the words %q, and --%s has %q", o.Path, taken, o.Flag, words)
		}
	}
	for _, path := range leaves(reflect.TypeFor[v1alpha1.Options](), "spec.options") {
		if !known[path] {
			t.Errorf("%s is the field of no option", path)
		}
	}
}

// Words that other packages define are those of the table.
func TestWordsAreTheirPackages(t *testing.T) {
	for flag, want := range map[string][]string{
		"access": access.Purposes(), "handoff": words(handoff.Forms()), "owner-informed": migration.OwnerWords(),
		"end-state":      {string(rke2checks.EndAuto), string(rke2checks.EndExternal), string(rke2checks.EndOverrides)},
		"install-method": {string(migration.InstallHelm), string(migration.InstallManifest)},
		"progress":       {string(runview.ProgressBoard), string(runview.ProgressPlain), string(runview.ProgressNone)},
		"distribution":   {string(wellknown.RKE2), string(wellknown.RKE)},
	} {
		if o, _ := options.Find(flag, ^options.Scope(0)); !slices.Equal(o.Words, want) {
			t.Errorf("--%s has the words %q, wanted %q", flag, o.Words, want)
		}
	}
}

func words[T ~string](values []T) []string {
	var all []string
	for _, value := range values {
		all = append(all, string(value))
	}
	return all
}

// Every step can be the last, but the upgrade, which a ClusterMigration does not make.
func TestUntilNamesTheSteps(t *testing.T) {
	var want []v1alpha1.Step
	for _, info := range slices.Concat([]runner.Info{}, procedure.StepInfos(), procedure.UndoStepInfos()) {
		if info.ID != migration.StepUpgrade {
			want = append(want, v1alpha1.Step(info.ID))
		}
	}
	if got := v1alpha1.Steps(); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		t.Errorf("%v, wanted %v", got, want)
	}
}
