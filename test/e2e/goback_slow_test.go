//go:build slow

package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoingBack applies a saved plan in parts, goes forward again in the middle of an undo,
// removes a chart that Rancher applied, and lets a failed run undo its steps.
func TestGoingBack(t *testing.T) {
	u, ctx := toUndo(t)
	t.Run("a saved plan", func(t *testing.T) { u.savedPlan(ctx, t) })
	t.Run("forward in the middle", func(t *testing.T) {
		u.goes(ctx, t, "undo", "--until", "undo-install-ccm")
		code, stdout, _, err := u.lab.Awsmigrate(ctx, testWriter{t}, u.lab.Command("status")...)
		if err != nil || code != 0 || !strings.Contains(stdout, "next   awsmigrate rke2 undo --cluster demo") {
			t.Errorf("status: exit %d, %v\n%s", code, err, stdout)
		}
		u.goes(ctx, t, "", "--install-method", "additional-manifest")
	})
	t.Run("from a HelmChart document", func(t *testing.T) {
		u.goes(ctx, t, "undo")
		u.isBack(ctx, t)
	})
	t.Run("on failure", func(t *testing.T) {
		values := filepath.Join(t.TempDir(), "values.yaml")
		must(t, os.WriteFile(values, []byte("args: [--v=2, --cloud-provider=aws, --configure-cloud-routes=false, --bogus-flag=1]\n"), 0o600))
		code, stdout, stderr, err := u.lab.Awsmigrate(ctx, testWriter{t}, run("--values", values, "--on-failure", "undo")...)
		if err != nil || code != 3 || !strings.Contains(stderr, "unknown flag") {
			t.Fatalf("exit %d, %v, wanted 3 and the flag\n%s%s", code, err, stdout, stderr)
		}
		u.isBack(ctx, t)
	})
}

// savedPlan applies a plan in parts up to install-ccm. A cordon that was set after it was saved
// stops it.
func (u undo) savedPlan(ctx context.Context, t *testing.T) {
	t.Helper()
	code, plan, stderr, err := u.lab.Awsmigrate(ctx, testWriter{t}, u.lab.Command("plan", "-o", "json")...)
	if err != nil || code != 0 {
		t.Fatalf("plan: exit %d, %v\n%s", code, err, stderr)
	}
	file := filepath.Join(t.TempDir(), "plan.json")
	must(t, os.WriteFile(file, []byte(plan), 0o600))
	applied := func(until string) (int, string) {
		code, _, stderr, err := u.lab.Awsmigrate(ctx, testWriter{t}, u.lab.Command("", "--plan", file, "--until", until)...)
		must(t, err)
		return code, stderr
	}
	for _, until := range []string{"lease-access", "enable-leader-migration"} {
		if code, stderr := applied(until); code != 0 {
			t.Fatalf("until %s: exit %d\n%s", until, code, stderr)
		}
	}
	planes, err := u.lab.ControlPlanes(ctx)
	if err != nil || len(planes) == 0 {
		t.Fatalf("control planes %v, %v", planes, err)
	}
	must(t, u.lab.Cordon(ctx, planes[0], true))
	if code, stderr := applied("cordon"); code != 9 || !strings.Contains(stderr, planes[0]) {
		t.Errorf("with a cordon since the plan: exit %d\n%s", code, stderr)
	}
	must(t, u.lab.Cordon(ctx, planes[0], false))
	if code, stderr := applied("install-ccm"); code != 0 {
		t.Fatalf("until install-ccm: exit %d\n%s", code, stderr)
	}
}
