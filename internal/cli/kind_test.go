package cli

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// flagsNamedOtherwise are those of options of a ClusterMigration whose name is not the
// option's path: what is a prefix of a flag is a folder of options.
var flagsNamedOtherwise = map[string]string{
	"skip-checks":                 "skip",
	"ccm-values":                  "values",
	"ccm-cloud-config-secret-ref": "cloud-config",
	"aws-mode":                    "aws",
	"aws-region":                  "region",
	"aws-assume-role":             "assume-role",
	"aws-secret-ref":              "", // a person has an environment; job --aws-secret
}

// flagsOutsideOptions are of a run and no option of a ClusterMigration, with the reason.
var flagsOutsideOptions = map[string]string{
	"until": "spec.until", "edits": "spec.edits", "yes": "spec.approvedPlan", "plan": "spec.approvedPlan",
	"dry-run": "goal Audit", "cluster": "metadata.name", "namespace": "metadata.namespace",
	"kubernetes-version": "an upgrade has no way back", "confirm": "nothing without a way back is done",
	"step":       "a goal cannot say: once",
	"deadline":   "windows say when a block begins, and nothing interrupts it",
	"on-failure": "a failure waits for a person", "fail-on": "status.audit has both numbers",
	"no-etcd-snapshot": "etcdSnapshot: Disabled", "only": "an audit makes every check",
	"chart": "the controller has its own", "profile": "a pod has no profiles",
	"external-id": "in the configuration of the identity that secretRef gives", "role-session-name": "as external-id",
	"kubeconfig": "the controller is where Rancher is", "context": "as kubeconfig", "downstream-kubeconfig": "Rancher keeps one",
	"request-timeout": "the controller's own", "progress": "nobody looks on", "verbose": "as progress",
	"record": "a pod keeps no files", "report": "as record", "notify-exec": "alerts are for that",
}

// kebab is a name in camel case as a flag has it.
func kebab(name string) string {
	var out strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			out.WriteByte('-')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// optionFlags are the leaves of a struct of options, as their flags would be called.
func optionFlags(of reflect.Type, prefix string) []string {
	var names []string
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Type == reflect.TypeFor[v1alpha1.CCM]() || field.Type == reflect.TypeFor[v1alpha1.AWS]() {
			names = append(names, optionFlags(field.Type, name+"-")...)
			continue
		}
		names = append(names, prefix+kebab(name))
	}
	return names
}

// What a ClusterMigration may say is what a person may say: the options have the names
// of the flags, and a flag is an option or has a reason why it is none.
func TestOptionsAreTheFlags(t *testing.T) {
	flags := pflag.NewFlagSet("rke2", pflag.ContinueOnError)
	(&target.RKE2{}).Register(flags)
	(&engineFlags{}).register(flags)
	(&engineFlags{}).registerForward(flags)
	taken := map[string]bool{}
	for _, name := range optionFlags(reflect.TypeFor[v1alpha1.Options](), "") {
		if other, otherwise := flagsNamedOtherwise[name]; otherwise {
			name = other
		}
		if name != "" && flags.Lookup(name) == nil {
			t.Errorf("no flag --%s", name)
		}
		taken[name] = true
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if _, outside := flagsOutsideOptions[f.Name]; outside == taken[f.Name] {
			t.Errorf("flag --%s: is an option: %t, has a reason to be none: %t", f.Name, taken[f.Name], outside)
		}
	})
	for name := range maps.Keys(flagsOutsideOptions) {
		if flags.Lookup(name) == nil {
			t.Errorf("no flag --%s", name)
		}
	}
}

// The words of a choice are those of its flag.
func TestChoicesAreTheFlags(t *testing.T) {
	words := map[string][]string{
		"end-state":      {string(v1alpha1.EndStateAuto), string(v1alpha1.EndStateExternal), string(v1alpha1.EndStateOverrides)},
		"install-method": {string(v1alpha1.InstallHelm), string(v1alpha1.InstallAdditionalManifest)},
		"edits":          {string(v1alpha1.EditsApply), string(v1alpha1.EditsHandoff)},
	}
	for flag, values := range words {
		for _, value := range append(values, "Neither") {
			args := []string{"--edits", "apply", "--" + flag, kebab(value)}
			if err := checkRunFlags(wellknown.RKE2, args); (err == nil) != (value != "Neither") {
				t.Errorf("%v: %v", args, err)
			}
		}
	}
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
