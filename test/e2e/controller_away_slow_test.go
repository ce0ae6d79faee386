//go:build slow

package e2e

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// twoReleases installs a second release in its own namespace while the first works. Both serve
// the same clusters, so only one of them decides.
func twoReleases(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	values := map[string]any{"mode": "migrate", "access": map[string]any{"clusters": []any{"demo"}}}
	one := install(ctx, t, lab)
	two, err := lab.InstallAs(ctx, scenario.Release{Name: "another", Namespace: "another-system"}, "../../charts", values)
	must(t, err)
	first := startController(ctx, t, lab, one, "awsmigrate-0")
	says(ctx, t, first, decides)
	second := startController(ctx, t, lab, two, "another-0")
	must(t, lab.CreateMigration(ctx, `{"options":{"etcdSnapshot":"Disabled"},"until":"enable-leader-migration"}`))
	approve(ctx, t, lab, first, `{"spec":{"goal":"Migrate","edits":"Apply"}}`)
	show(ctx, t, lab, first, "the end of the block", scenario.InState(status.Paused))
	if log := second.Stderr(); strings.Contains(log, decides) || strings.Contains(log, anyEvent) {
		t.Errorf("the second release did something while the first led:\n%s", log)
	}
	asked, err := lab.Requests(two.Release.Account())
	must(t, err)
	for _, used := range asked.Used {
		if used.Verb != "get" && used.Verb != "list" && used.Verb != "watch" && used.Resource != "leases" {
			t.Errorf("the second release wrote: %s", used)
		}
	}
	if asked.All == 0 || asked.Denied > 0 {
		t.Errorf("the second release asked %d times, and was refused %v", asked.All, asked.Refused)
	}
	// The first release is uninstalled: the other one takes its place.
	must(t, first.Signal(syscall.SIGTERM))
	<-first.Done()
	must(t, one.Uninstall(ctx))
	says(ctx, t, second, decides)
	must(t, lab.PatchMigration(ctx, `{"spec":{"until":null,"paused":true}}`))
	show(ctx, t, lab, second, "the pause", scenario.InState(status.Paused))
}

// away is the time in which the API of the management cluster does not answer. It is longer
// than a leader keeps its Lease, and shorter than a run keeps the Lease of a cluster.
const away = 60 * time.Second

// managementAway freezes the API server of the management cluster during a rollout. The run
// that watches the rollout survives, and pauses it for the rename that happened meanwhile.
func managementAway(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	controller := startController(ctx, t, lab, install(ctx, t, lab), "awsmigrate-0")
	must(t, lab.CreateMigration(ctx, `{"options":{"etcdSnapshot":"Disabled"}}`))
	approve(ctx, t, lab, controller, `{"spec":{"goal":"Migrate","edits":"Apply"}}`)
	show(ctx, t, lab, controller, "enable-leader-migration to wait", waitingIn("enable-leader-migration"))
	planes, err := lab.ControlPlanes(ctx)
	must(t, err)
	holder, err := lab.LockHolder(ctx)
	must(t, err)
	before := strings.Count(controller.Stderr(), runEnded)

	must(t, lab.Lab(ctx, "kill", "kube-apiserver@management", "--signal", "STOP"))
	thawed := false
	thaw := func() {
		if !thawed {
			thawed = true
			must(t, lab.Lab(context.WithoutCancel(ctx), "kill", "kube-apiserver@management", "--signal", "CONT"))
		}
	}
	defer thaw()
	_, err = lab.SecondNode(ctx, planes[1])
	must(t, err)
	waitFor(t, away)
	if ended := controller.Ended(); ended != nil {
		t.Fatalf("the controller ended: %v", ended)
	}
	if after := strings.Count(controller.Stderr(), runEnded); after != before {
		t.Errorf("the run ended while the API was away:\n%s", controller.Stderr())
	}
	thaw()
	back := time.Now()
	within, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	must(t, scenario.Until(within, "the pause", func(ctx context.Context) (bool, string, error) {
		paused, by, err := lab.Paused(ctx)
		return paused && by != "", fmt.Sprintf("paused: %t, by %q", paused, by), err
	}))
	t.Logf("paused %.0f s after the API was back", time.Since(back).Seconds())
	show(ctx, t, lab, controller, "the pause in the object's status", scenario.InState(status.Stalled, status.RolloutPaused))
	if now, err := lab.LockHolder(ctx); err != nil || now != "" && now != holder {
		t.Errorf("the cluster is held by %q, %v; was %q", now, err, holder)
	}
}
