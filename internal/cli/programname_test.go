package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/internal/testing/golden"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// As a plugin of kubectl the program shows the words that are typed there, under its
// own name those of the program; the folder that it lies in says nothing.
func TestGoldenProgramName(t *testing.T) {
	play := func(argv0 string, args ...string) played {
		var out, errs bytes.Buffer
		code := MainAs(t.Context(), argv0, args, console.Streams{Out: &out, Err: &errs, Env: func(string) string { return "" }})
		return played{out: out.String(), err: errs.String(), code: code}
	}
	for name, args := range map[string][]string{
		"plugin-help": {"rke2", "plan", "--help"}, "plugin-root": {}, "plugin-examples": {"rke2", "--help"}, "plugin-unknown": {"rke3"},
	} {
		golden.Require(t, name+".txt.golden", play("/opt/krew/bin/kubectl-awsmigrate", args...).all())
		for _, argv0 := range []string{"awsmigrate", "/kubectl-awsmigrate/awsmigrate", ""} {
			if got := play(argv0, args...).all(); strings.Contains(got, "kubectl awsmigrate") {
				t.Errorf("started as %q, %v says kubectl awsmigrate:\n%s", argv0, args, got)
			}
		}
	}
}

// Printed commands begin as the user typed them, in every output.
func TestNextCommandsBeginAsTyped(t *testing.T) {
	for argv0, want := range map[string]string{"/opt/krew/bin/kubectl-awsmigrate": "kubectl awsmigrate", "/usr/bin/awsmigrate": "awsmigrate"} {
		a := &app.App{Typed: usage.TypedProgram(argv0), Args: []string{"rke2", "--cluster", "demo"}}
		if got := a.CommandLine(); got != want+" rke2 --cluster demo" {
			t.Errorf("%s: the journal has %q", argv0, got)
		}
		row := inventory.Row{Distribution: inventory.RKE2, Namespace: "fleet-default", Name: "demo", State: inventory.NotBegun}
		if got := (&target.Fleet{}).Next(row, a.Opening().Program); got != want+" rke2 plan --cluster demo" {
			t.Errorf("%s: list says %q", argv0, got)
		}
		var out bytes.Buffer
		doc := audited(t, position.P0, migration.Options{}, map[string][]verify.Finding{"AWSM-303": {{Status: verify.Fail, Object: "Node a"}}})
		if err := verifyview.WriteAudit(console.Streams{Out: &out, Program: a.Typed.Line()}, "text", doc); err != nil || !strings.Contains(out.String(), " "+want+" explain AWSM-303 · ") {
			t.Errorf("%s: %v, the audit says\n%s", argv0, err, out.String())
		}
	}
}

// What the plugin's completion script asks is answered by the file it is for.
func TestCompletionScriptsAreForTheFile(t *testing.T) {
	for _, file := range []string{usage.Program, usage.Plugin} {
		var bash, fish bytes.Buffer
		tree := Tree("/usr/bin/" + file)
		if err := tree.GenBashCompletionV2(&bash, true); err != nil {
			t.Fatal(err)
		}
		if err := tree.GenFishCompletion(&fish, true); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(bash.String(), "complete -o default -F __start_"+file+" "+file+"\n") || !strings.Contains(fish.String(), "complete -c "+file+" ") {
			t.Errorf("the scripts are not for %s", file)
		}
	}
}
