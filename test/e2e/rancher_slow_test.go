//go:build slow

package e2e

import (
	"context"
	"strings"
	"testing"
)

// TestRancherWithoutTheRelease migrates a cluster of Kubernetes 1.26 and undoes it under
// Ranchers whose release data lack 1.26. They roll out with the arguments of the releases that
// they know. awsmigrate warns and otherwise behaves the same.
func TestRancherWithoutTheRelease(t *testing.T) {
	u, ctx := toUndo(t)
	for _, version := range []string{"v2.9.3", "v2.12.3"} {
		t.Run(version, func(t *testing.T) {
			must(t, u.lab.PretendRancher(ctx, version))
			u.warnsOf(ctx, t, "AWSM-102", "Rancher "+version)
			u.goes(ctx, t, "")
			if standing, err := u.lab.Standing(ctx); err != nil || !strings.HasPrefix(standing, "P5") {
				t.Fatalf("position %q, %v", standing, err)
			}
			u.goes(ctx, t, "undo")
			u.isBack(ctx, t)
		})
	}
}

func (u undo) warnsOf(ctx context.Context, t *testing.T, id, says string) {
	t.Helper()
	code, stdout, stderr, err := u.lab.Awsmigrate(ctx, testWriter{t}, "verify", "--cluster", "demo", "--preflight", "--only", id)
	if err != nil || code != 0 || !strings.Contains(stdout, id) || !strings.Contains(stdout, says) {
		t.Fatalf("verify: exit %d, %v\n%s%s", code, err, stdout, stderr)
	}
}
