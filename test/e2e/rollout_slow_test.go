//go:build slow

package e2e

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/test/scenario"
)

const rolloutManifest = `
apiVersion: awsmigrate.io/v1alpha1
kind: MigrationRollout
metadata: {name: eu, namespace: fleet-default}
spec:
  edits: Apply
  waves:
  - {name: canary, clusters: [demo]}
  - {name: rest}
`

// TestRollout migrates the lab's cluster by a rollout, with the roles of the chart and the command
// line alone.
func TestRollout(t *testing.T) {
	lab := boot(t, "--lease", quick, "--workers", "2")
	ctx := within(t, 20*time.Minute)
	began := time.Now()
	installed := install(ctx, t, lab)
	controller := startController(ctx, t, lab, installed, "awsmigrate-0")
	_, err := lab.KubectlManagement(ctx, rolloutManifest, "create", "--validate=strict", "-f", "-")
	must(t, err)
	rollout := func(want int, args ...string) string {
		t.Helper()
		code, out, stderr, err := lab.Awsmigrate(ctx, io.Discard, append([]string{"rollout"}, args...)...)
		must(t, err)
		if code != want {
			t.Fatalf("rollout %s: exit %d, wanted %d\n%s\n%s", strings.Join(args, " "), code, want, out, stderr)
		}
		return out
	}
	turn := func(what string, fits func(*v1alpha1.ClusterMigration) bool) {
		t.Helper()
		m := show(ctx, t, lab, controller, what, fits)
		t.Log(scenario.Summary(m))
	}
	turn("a turn to wait for", scenario.InState(status.AwaitingTurn))
	t.Log(rollout(0, "plan", "--name", "eu"))
	rollout(7, "approve", "--name", "eu") // without a yes
	rollout(0, "pause", "--name", "eu")
	rollout(0, "approve", "--name", "eu", "--yes")
	t.Log(rollout(0, "status", "--name", "eu"))
	rollout(0, "resume", "--name", "eu")
	turn("a run", scenario.InState(status.Running))
	rollout(0, "status", "--name", "eu", "--watch")
	turn("the goal", scenario.InState(status.Succeeded))
	if out := rollout(0, "status", "--name", "eu"); !strings.Contains(out, "1 of 1 clusters are at the goal") {
		t.Error(out)
	}
	asked, err := lab.Requests(installed.Release.Account())
	must(t, err)
	if missed := asked.Missed(); len(missed) > 0 {
		t.Errorf("refused %v", missed)
	}
	seen, text, err := lab.Observe(ctx, began)
	if err != nil || seen.Overlaps() > 0 || len(seen.Blind) > 0 {
		t.Errorf("observer: %v\n%s", err, text)
	}
	t.Logf("%d requests", asked.All)
}
