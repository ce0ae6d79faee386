package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// grant is one manifest that verify --access prints, and the cluster that takes it.
type grant struct {
	form  string // of -o
	apply func(ctx context.Context, manifest string, args ...string) (string, error)
}

// grantedWhatIsMissing checks that a user with few rights learns of all missing rights at once,
// for an audit and for a run. The printed manifests, applied with only the user's name filled
// in, grant everything that was missing. They are deleted again.
func grantedWhatIsMissing(ctx context.Context, t *testing.T, lab *scenario.Lab, kubeconfig string, target []string, grants ...grant) {
	t.Helper()
	for _, of := range []string{"--access", "--access=run"} {
		ask := slices.Concat([]string{"verify", of, "--kubeconfig", lab.Kubeconfig(kubeconfig)}, target)
		if code, out := outputOf(ctx, t, lab, ask...); code != 10 || !strings.Contains(out, "✗") || strings.Contains(out, "\n?") {
			t.Fatalf("%s: exit %d, want 10 with all that is missing\n%s", of, code, out)
		}
		var undo []func()
		for _, g := range grants {
			_, manifest := outputOf(ctx, t, lab, append(slices.Clone(ask), "-o", g.form)...)
			manifest = strings.ReplaceAll(manifest, "PUT-YOUR-USER-HERE", "viewer")
			if out, err := g.apply(ctx, manifest, "apply", "-f", "-"); err != nil {
				t.Fatalf("%s, -o %s: %v\n%s", of, g.form, err, out)
			}
			undo = append(undo, func() {
				if _, err := g.apply(ctx, manifest, "delete", "-f", "-"); err != nil {
					t.Error(err)
				}
			})
		}
		err := scenario.Until(within(t, time.Minute), "the rights to be there", func(ctx context.Context) (bool, string, error) { // authorizers see a new binding a moment later
			code, out := outputOf(ctx, t, lab, ask...)
			return code == 0 && !strings.Contains(out, "✗"), out, nil
		})
		if err != nil {
			t.Errorf("%s: %v", of, err)
		}
		for _, takeAway := range undo {
			takeAway()
		}
	}
}

// outputOf returns the standard output and the exit code of a command.
func outputOf(ctx context.Context, t *testing.T, lab *scenario.Lab, args ...string) (int, string) {
	t.Helper()
	code, out, _, err := lab.Awsmigrate(ctx, silent{}, args...)
	if err != nil {
		t.Fatal(err)
	}
	return code, out
}

// accessWithoutAPIs checks the rights of an audit without AWS credentials and without an API
// server. One report names everything that could not be asked, and no call is made.
func accessWithoutAPIs(ctx context.Context, t *testing.T, lab *scenario.Lab, target []string) {
	t.Helper()
	line := "unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN; sed 's#server: .*#server: https://127.2.0.99:6443#' \"$KUBECONFIG\" > gone.yaml; " +
		lab.Bin + "/awsmigrate verify --access --kubeconfig gone.yaml " + strings.Join(target, " ") + "; test $? = 10"
	var out strings.Builder
	if err := lab.Shell(ctx, &out, "downstream", "cd "+t.TempDir()+"; "+line); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
	for _, want := range []string{"does not answer", "no AWS credentials", "not asked", "unknown"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("without %q\n%s", want, out.String())
		}
	}
}
