package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/test/scenario"
	"github.com/awsmigrate/awsmigrate/test/trace"
)

// migrate runs a migration, checks its exit code and returns its output. A lab that has just
// booted may still change between the plan and the lock; the same command then continues.
func migrate(ctx context.Context, t *testing.T, lab *scenario.Lab, wanted int, args ...string) string {
	t.Helper()
	command := lab.Command("", append([]string{"--yes"}, args...)...)
	code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, command...)
	if code != wanted && strings.Contains(stderr, "the cluster changed after the plan was shown") {
		code, stdout, stderr, err = lab.Awsmigrate(ctx, testWriter{t}, command...)
	}
	if err != nil || code != wanted {
		t.Fatalf("awsmigrate %v: exit %d, wanted %d; %v", args, code, wanted, err)
	}
	return stdout + stderr
}

// valuesFile writes a values file and returns the flag for it.
func valuesFile(t *testing.T, text string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--values", path}
}

// quickRollout returns the flag for a chart whose pods wait 5 s for each other instead of 30 s,
// because a migration rolls the CCM over all control planes twice. TestDemo and TestRKE use the
// chart unchanged.
func quickRollout(t *testing.T) []string {
	t.Helper()
	return valuesFile(t, "minReadySeconds: 5")
}

// wantRefused fails the test unless a command exits 3 and names the cause.
func wantRefused(ctx context.Context, t *testing.T, lab *scenario.Lab, cause string, args ...string) {
	t.Helper()
	code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, args...)
	if err != nil || code != 3 || !strings.Contains(stdout+stderr, cause) {
		t.Errorf("awsmigrate %v: exit %d, %v; wanted 3 and %q", args, code, err, cause)
	}
}

// wroteNothing checks the audit logs of all API servers.
func wroteNothing(t *testing.T, lab *scenario.Lab, since time.Time) {
	t.Helper()
	writes, err := lab.Writes(since, "awsmigrate")
	if err != nil {
		t.Fatal(err)
	}
	for _, write := range writes {
		t.Errorf("wrote: %s", write)
	}
}

// wroteAsSimulated compares the writes of a migration with those on the simulated cluster, so
// that the results of test/sim hold for the lab, too.
func wroteAsSimulated(t *testing.T, lab *scenario.Lab, since time.Time, name string) {
	t.Helper()
	writes, err := lab.Trace(since, "awsmigrate")
	if err != nil {
		t.Fatal(err)
	}
	want, err := trace.Wanted(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, trace.Lines(writes)); diff != "" {
		t.Errorf("the lab led to other writes (-simulator +lab):\n%s", diff)
	}
}
