package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// printed returns the output of `awsmigrate job`.
func printed(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Main(t.Context(), append([]string{"job"}, args...), console.Streams{Out: &stdout, Err: &stderr, Env: func(string) string { return "" }})
	return stdout.String(), stderr.String(), code
}

func TestJobPassesRunFlagsOn(t *testing.T) {
	out, errs, code := printed(t, "--cluster", "prod", "--image", "i:1", "--", "--edits", "handoff", "--skip", "AWSM-303=zones differ on purpose")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	for _, want := range []string{"- --edits\n        - handoff\n        - --skip\n        - AWSM-303=zones differ on purpose\n", "- --yes\n", "image: i:1\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestJobRefuses(t *testing.T) {
	plan := filepath.Join(t.TempDir(), "plan.json")
	if err := os.WriteFile(plan, []byte(planOfProd(t, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	prod := []string{"--cluster", "prod", "--image", "i:1"}
	rke := []string{"--distribution", "rke", "--cluster", "c-7kq2x", "--image", "i:1", "--downstream-secret", "own"}
	with := func(base []string, more ...string) []string { return append(slices.Clone(base), more...) }
	for _, tt := range []struct {
		args []string
		says string // empty if it is accepted
	}{
		{prod, ""},
		{with(prod, "--", "--until", "verify"), ""},
		{rke, ""},
		{with(prod, "--plan", plan), ""},
		{with(rke, "--", "--until", "verify", "--timeout", "20m"), ""},
		{[]string{"--image", "i:1"}, "--cluster is required"},
		{[]string{"--cluster", "prod"}, "no image of awsmigrate is published yet"},
		{with(prod, "--distribution", "k3s"), "rke2 or rke"},
		{with(prod, "-n", "a\n---\nkind: ClusterRoleBinding"), "flag --namespace: invalid value"},
		{[]string{"--cluster", "Prod", "--image", "i:1"}, "flag --cluster: invalid value"},
		{[]string{"--cluster", "prod", "--image", "https://i:1"}, "flag --image: invalid value"},
		{with(prod, "--service-account-name", "A"), "flag --service-account-name: invalid value"},
		{with(prod, "--cloud-config-secret", "a:b:c"), "flag --cloud-config-secret: invalid value"},
		{with(prod, "--", "--skip", "AWSM-303=$(POD_NAME)"), ""},
		{with(prod, "--distribution", "rke"), "wanted the id"},
		{rke[:6], ""},
		{with(rke, "--cloud-config-secret", "a:b"), "--cloud-config-secret"},
		{with(prod, "--cloud-config-secret", "cloud"), "wanted NAMESPACE:NAME"},
		{with(prod, "--plan", plan+".none"), "cannot be read"},
		{with(rke, "--plan", plan), "is for Cluster fleet-default/prod"},
		{with(prod, "-n", "team-a", "--plan", plan), "is for Cluster fleet-default/prod"},
		{with(prod, "verify"), "come after --"},
		{with(prod, "verify", "--", "--until", "verify"), "come after --"},
		{with(prod, "--", "--unto", "verify"), "unknown flag: --unto"},
		{with(prod, "--", "plan"), `argument "plan"`},
		{with(prod, "--", "--edits", "maybe"), "apply or handoff"},
		{with(prod, "--", "--timeout", "0"), "more than 0"},
		{with(prod, "--", "--end-state", "none"), "end-state"},
		{with(rke, "--", "--end-state", "external"), "unknown flag: --end-state"},
		{with(prod, "--", "--values", "values.yaml"), "names a file"},
		{with(prod, "--", "--cluster", "other"), "the Job sets it"},
		{with(prod, "--", "-o", "text"), "the Job sets it"},
		{with(prod, "--", "-y"), "the Job sets it"},
		{with(prod, "--", "--on-failure", "undo"), "for a person"},
		{with(prod, "--", "--help"), "for a person"},
	} {
		args := tt.args
		if !slices.Contains(args, "--edits") && !slices.Contains(args, "rke") { // who keeps the Cluster has to be said
			if !slices.Contains(args, "--") {
				args = append(slices.Clone(args), "--")
			}
			args = append(slices.Clone(args), "--edits", "apply")
		}
		out, errs, code := printed(t, args...)
		switch {
		case tt.says == "" && (code != 0 || out == ""):
			t.Errorf("%v: exit %d: %s", tt.args, code, errs)
		case tt.says != "" && (code != 2 || out != "" || !strings.Contains(errs, tt.says)):
			t.Errorf("%v: exit %d, wanted 2 and %q:\n%s%s", tt.args, code, tt.says, errs, out)
		}
	}
}

// A Job asks no questions, so its manifest needs the owner of the Cluster.
func TestJobWantsToKnowWhoKeepsTheCluster(t *testing.T) {
	out, errs, code := printed(t, "--cluster", "prod", "--image", "i:1", "--", "--until", "verify")
	if code != 2 || out != "" || !strings.Contains(errs, "--edits: required") {
		t.Errorf("exit %d: %s%s", code, errs, out)
	}
}

func TestJobRefusesAPlanThatKubectlCannotApply(t *testing.T) {
	plan := filepath.Join(t.TempDir(), "plan.json")
	for name, tt := range map[string]struct {
		header, blanks string
		code           int
	}{
		"blanks alone":     {"", strings.Repeat(" ", planLimit), 0},
		"as long as it is": {strings.Repeat("x", planLimit), "", 2},
		"once it is noted": {strings.Repeat(`"`, planLimit/3), "", 2},
	} {
		text := strings.Replace(planOfProd(t, tt.header), `"steps"`, tt.blanks+`"steps"`, 1)
		if err := os.WriteFile(plan, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, errs, code := printed(t, "--cluster", "prod", "--image", "i:1", "--plan", plan, "--", "--edits", "apply")
		if code != tt.code || len(out) > planLimit || code != 0 && !strings.Contains(errs, "bytes") {
			t.Errorf("%s: exit %d, wanted %d, %d bytes: %s", name, code, tt.code, len(out), errs)
		}
	}
}

// planOfProd is a plan as `plan -o json` prints it.
func planOfProd(t *testing.T, header string) string {
	t.Helper()
	doc := planDocument{TypeMeta: view.KindOf("Plan"), Target: journal.Target{Kind: "Cluster", Namespace: "fleet-default", Name: "prod", UID: "u"},
		Header: []string{header}, WholePlan: runner.WholePlan{Steps: []runner.PlannedStep{{Info: runner.Info{ID: "preflight"}}}}}
	doc, err := doc.sealed()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A Job passes on no flag that names a file.
func TestJobPassesNoFileOn(t *testing.T) {
	for _, in := range []options.Scope{options.RKE2 | options.Run, options.RKE | options.Run} {
		for _, o := range options.For(in) {
			names := o.Kind == options.File || o.Kind == options.Documents || o.Offer.Source == options.AnyFile || len(o.Offer.Ending) > 0
			if names && unfitForJob(o.Flag, in) == nil {
				t.Errorf("--%s is passed on", o.Flag)
			}
		}
	}
	for _, flag := range []string{"help", "output", "yes", "cluster"} {
		if unfitForJob(flag, options.RKE2|options.Run) == nil {
			t.Errorf("--%s is passed on", flag)
		}
	}
}

func TestEveryExitCodeIsInOneGroup(t *testing.T) {
	exits := jobExits()
	var all []int32
	for class := fault.Unexpected; class <= fault.HungUp; class++ {
		code := int32(view.ExitCode(&fault.Error{Class: class}))
		if again, final := slices.Contains(exits.Again, code), slices.Contains(exits.Final, code); again == final {
			t.Errorf("exit %d: repeated %t, final %t", code, again, final)
		}
		all = append(all, code)
	}
	if len(all) != len(exits.Again)+len(exits.Final) {
		t.Errorf("codes %v in groups %+v", all, exits)
	}
	for group, sorted := range map[string][]int32{"again": exits.Again, "final": exits.Final} {
		if !slices.IsSorted(sorted) || slices.Contains(sorted, 0) {
			t.Errorf("%s: %v", group, sorted) // as Kubernetes asks for
		}
	}
}
