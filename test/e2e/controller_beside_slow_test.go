//go:build slow

package e2e

import (
	"context"
	"os"
	"os/user"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestControllerBeside tests a working controller together with others: a second replica, a
// second release, and a person at the command line.
func TestControllerBeside(t *testing.T) {
	lab := boot(t, "--lease", quick, "--workers", "1")
	for _, part := range []struct {
		name string
		run  func(context.Context, *testing.T, *scenario.Lab)
	}{
		{"a second replica, and the first is frozen", replicas},
		{"the leadership is taken away", leadershipLost},
		{"the command line, before and after", commandLine},
		{"two releases", twoReleases},
		{"the management cluster is away, and a machine is renamed", managementAway},
	} {
		chosen := false
		t.Run(part.name, func(t *testing.T) {
			chosen = true
			part.run(within(t, 15*time.Minute), t, lab)
		})
		if !chosen {
			continue // by -run
		}
		must(t, lab.Lab(within(t, sharedFor), "reset"))
	}
}

const (
	decides   = `"msg":"decides from now on"`
	noLonger  = `"msg":"no longer the leader: `
	runEnded  = `"msg":"the run ended"`
	anyEvent  = `"event":"`
	anyPaused = `{"spec":{"paused":true}}`
)

// replicas freezes the leader during a rollout for longer than its Lease. The other replica
// then decides and guards. The first one, once thawed, writes only the record of its run.
func replicas(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	installed := install(ctx, t, lab)
	first := startController(ctx, t, lab, installed, "awsmigrate-0")
	says(ctx, t, first, decides)
	second := startController(ctx, t, lab, installed, "awsmigrate-1")
	must(t, lab.CreateMigration(ctx, `{"options":{"etcdSnapshot":"Disabled"}}`))
	approve(ctx, t, lab, first, `{"spec":{"goal":"Migrate","edits":"Apply"}}`)
	show(ctx, t, lab, first, "enable-leader-migration to wait", waitingIn("enable-leader-migration"))
	must(t, lab.PatchMigration(ctx, anyPaused)) // so that the other replica guards and takes no further step
	must(t, first.Signal(syscall.SIGSTOP))
	frozen, generation := time.Now(), generationOf(ctx, t, lab)
	if log := second.Stderr(); strings.Contains(log, decides) || strings.Contains(log, anyEvent) {
		t.Errorf("the second did something while the first led:\n%s", log)
	}
	says(ctx, t, second, decides)
	t.Logf("the other decides %.0f s after the first was frozen", time.Since(frozen).Seconds())
	show(ctx, t, lab, second, "the rest", scenario.InState(status.Paused))
	t.Logf("at rest %.0f s after the first was frozen", time.Since(frozen).Seconds())
	kcmsRun(ctx, t, lab, "aws with flag")

	thawed := time.Now()
	must(t, first.Signal(syscall.SIGCONT))
	says(ctx, t, first, noLonger)
	says(ctx, t, first, runEnded)
	waitFor(t, 30*time.Second)
	trace, err := lab.Trace(thawed, "awsmigrate")
	must(t, err)
	for _, w := range trace {
		if !ofDecider.MatchString(w.Path) && w.Object != "awsmigrate.record.demo" { // of the run that ended
			t.Errorf("wrote after it was thawed: %s %s %s of %q", w.Server, w.Verb, w.Path, w.Object)
		}
	}
	if now := generationOf(ctx, t, lab); now != generation {
		t.Errorf("the Cluster has generation %d, and had %d", now, generation)
	}
}

// ofDecider matches the writes of a controller that decides and does nothing: the Lease of the
// election, the status of its object, and events on it.
var ofDecider = regexp.MustCompile(`/leases/awsmigrate(\?|$)|/clustermigrations/demo/status|/events`)

// leadershipLost takes the Lease of the election from a controller during a rollout. Its run
// continues under the Lease of the cluster, which no other process writes.
func leadershipLost(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	installed := install(ctx, t, lab)
	first := startController(ctx, t, lab, installed, "awsmigrate-0")
	says(ctx, t, first, decides)
	must(t, lab.CreateMigration(ctx, `{"options":{"etcdSnapshot":"Disabled"},"until":"enable-leader-migration"}`))
	approve(ctx, t, lab, first, `{"spec":{"goal":"Migrate","edits":"Apply"}}`)
	show(ctx, t, lab, first, "enable-leader-migration to wait", waitingIn("enable-leader-migration"))
	holder, err := lab.LockHolder(ctx)
	must(t, err)
	_, err = lab.KubectlManagement(ctx, "", "-n", "fleet-default", "patch", "lease", "awsmigrate", "--type", "merge",
		"-p", `{"spec":{"holderIdentity":"another-process","leaseDurationSeconds":60,"renewTime":"`+time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")+`"}}`)
	must(t, err)
	second := startController(ctx, t, lab, installed, "awsmigrate-1")
	says(ctx, t, first, noLonger)
	if now, err := lab.LockHolder(ctx); err != nil || now != holder {
		t.Errorf("the lock of the cluster is held by %q, %v; was %q", now, err, holder)
	}
	show(ctx, t, lab, nil, "the end of the block", func(m *v1alpha1.ClusterMigration) bool {
		return m.Status.Position == "P2" && scenario.InState(status.Paused)(m)
	})
	if strings.Contains(second.Stderr(), `"event":"step-started"`) {
		t.Errorf("the other one took a step of a run that went on:\n%s", second.Stderr())
	}
	if !strings.Contains(first.Stderr(), `"event":"step-finished"`) {
		t.Errorf("the first did not finish its step:\n%s", first.Stderr())
	}
}

// commandLine starts a person's run first, and then the controller's.
func commandLine(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	who, err := user.Current()
	must(t, err)
	host, err := os.Hostname()
	must(t, err)
	controller := startController(ctx, t, lab, install(ctx, t, lab), "awsmigrate-0")
	words := lab.Command("", "--yes", "--no-etcd-snapshot", "--until", "enable-leader-migration")
	person, err := lab.Start(ctx, testWriter{t}, words...)
	must(t, err)
	waitStep(ctx, t, person, "enable-leader-migration")
	must(t, lab.CreateMigration(ctx, `{"goal":"Migrate","edits":"Apply","options":{"etcdSnapshot":"Disabled"}}`))
	m := show(ctx, t, lab, controller, "that a person's run holds the cluster", scenario.InState(status.Pending, status.Locked))
	if message := m.Status.Display.Message; !strings.Contains(message, who.Username+" on "+host) {
		t.Errorf("%q does not name %s on %s", message, who.Username, host)
	}
	ends(ctx, t, person, 0)

	approve(ctx, t, lab, controller, `{"spec":{"goal":"Migrate"}}`)
	show(ctx, t, lab, controller, "switch-provider to wait", waitingIn("switch-provider"))
	must(t, scenario.Refusal{Code: 8, Args: lab.Command("", "--yes", "--no-etcd-snapshot"), Says: []string{who.Username + " on " + host}}.Check(ctx, lab, testWriter{t}))
	show(ctx, t, lab, controller, "the end", func(m *v1alpha1.ClusterMigration) bool {
		return scenario.InState(status.Succeeded)(m) && m.Status.Position == "P5"
	})
}
