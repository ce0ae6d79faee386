//go:build slow

package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestByCommits migrates a cluster and undoes it while an owner makes every edit of the Cluster
// object: first Fleet from Git, then a person with the patch. awsmigrate does the rest, writes
// neither that object nor a Node, and asks to inform no owner.
func TestByCommits(t *testing.T) {
	u, ctx := toUndo(t)
	git, err := u.lab.KeepInGit(ctx)
	must(t, err)
	u.byCommits(ctx, t, "", owner{"fleet", scenario.FleetManager, git.Commit}, "enable-leader-migration", "switch-provider")
	if standing, err := u.lab.Standing(ctx); err != nil || standing != "P5" {
		t.Errorf("position %q, %v; wanted P5", standing, err)
	}
	if nodes, err := u.lab.Identities(ctx); err != nil || cmp.Diff(u.beginning.Nodes, nodes) != "" {
		t.Errorf("%v, Nodes:\n%s", err, cmp.Diff(u.beginning.Nodes, nodes))
	}
	u.byCommits(ctx, t, "undo", owner{"patch", "kubectl-patch", u.lab.ApplyPatch}, "undo-switch-provider", "undo-enable-leader-migration")
	u.isBack(ctx, t)
}

// owner makes the edits of the Cluster object in one form.
type owner struct {
	form    string
	manager string // of the fields that it writes
	commit  func(ctx context.Context, fragment string) error
}

// byCommits types one command until it succeeds. Each time it waits for a commit, once for each
// of steps, byCommits commits what `plan --handoff` prints.
func (u undo) byCommits(ctx context.Context, t *testing.T, name string, by owner, steps ...string) {
	t.Helper()
	since := time.Now()
	for _, step := range steps {
		code, stdout, stderr, err := u.lab.Awsmigrate(ctx, testWriter{t}, u.lab.Command(name, "--yes", "--edits", "handoff")...)
		if err != nil || code != 6 || !strings.Contains(stderr, "differ from what step "+step+" needs") {
			t.Fatalf("%s, until %s must be committed: exit %d, %v\n%s%s", name, step, code, err, stdout, stderr)
		}
		code, fragment, stderr, err := u.lab.Awsmigrate(ctx, testWriter{t}, u.lab.Command("plan", "--edits", "handoff", "--handoff", by.form)...)
		if err != nil || code != 0 || by.form != "patch" && !strings.Contains(fragment, "("+step+")") {
			t.Fatalf("the fragment of %s: exit %d, %v\n%s%s", step, code, err, fragment, stderr)
		}
		must(t, by.commit(ctx, fragment))
	}
	u.goes(ctx, t, name, "--edits", "handoff")
	u.wroteAround(ctx, t, since, by)
	t.Logf("%s by %s took %.0f s", name, by.form, time.Since(since).Seconds())
}

// wroteAround checks that awsmigrate wrote, but neither the Cluster object nor a Node.
func (u undo) wroteAround(ctx context.Context, t *testing.T, since time.Time, by owner) {
	t.Helper()
	writes, err := u.lab.Writes(since, "awsmigrate")
	if err != nil || len(writes) == 0 {
		t.Fatalf("%d writes, %v", len(writes), err)
	}
	for _, write := range writes {
		if strings.Contains(write, "provisioning.cattle.io") || strings.Contains(write, "/api/v1/nodes") {
			t.Errorf("wrote: %s", write)
		}
	}
	writers, err := u.lab.ClusterWriters(ctx)
	if err != nil || !slices.Contains(writers, by.manager) || slices.ContainsFunc(writers, func(w string) bool { return strings.Contains(w, "awsmigrate") }) {
		t.Errorf("the Cluster was written by %q, %v; wanted %s", writers, err, by.manager)
	}
}
