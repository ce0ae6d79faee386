//go:build slow

package e2e

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// must ends the test if its setup failed.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// stops fails the test unless a run exits 3 and its output contains every part of says.
func stops(ctx context.Context, t *testing.T, lab *scenario.Lab, says []string, args ...string) {
	t.Helper()
	r := scenario.Refusal{Code: 3, Says: says, Args: append([]string{"rke2", "--cluster", "demo", "--yes", "--edits", "apply", "--no-etcd-snapshot"}, args...)}
	if err := r.Check(ctx, lab, testWriter{t}); err != nil {
		t.Error(err)
	}
}

// stopsToo is stops for a run that has already started.
func stopsToo(ctx context.Context, t *testing.T, run *scenario.Run, says ...string) {
	t.Helper()
	code, err := run.Wait(ctx)
	if err != nil || code != 3 {
		t.Errorf("exit %d, %v; wanted 3", code, err)
	}
	for _, part := range says {
		if text := run.Stdout() + run.Stderr(); !strings.Contains(text, part) {
			t.Errorf("does not say %q:\n%s", part, text)
		}
	}
}

// waitStep waits until a run prints that it begins a step.
func waitStep(ctx context.Context, t *testing.T, run *scenario.Run, step string) {
	t.Helper()
	must(t, scenario.Until(ctx, step+" to begin", func(context.Context) (bool, string, error) {
		select {
		case <-run.Done():
			t.Fatalf("the run ended before %s:\n%s%s", step, run.Stdout(), run.Stderr())
		default:
		}
		return strings.Contains(run.Stdout(), "◐  "+step), "awsmigrate runs", nil
	}))
}

// kcmsRun waits until every kube-controller-manager process runs with a provider, which has the
// form of scenario.Lab.Providers.
func kcmsRun(ctx context.Context, t *testing.T, lab *scenario.Lab, provider string) {
	t.Helper()
	must(t, scenario.Until(ctx, "every kube-controller-manager to run "+provider, func(context.Context) (bool, string, error) {
		seen, err := lab.Providers()
		return scenario.AllRun(seen, provider, 3), fmt.Sprint(seen), err
	}))
}

// waitForNoController waits until the observer has seen no process run any of the cloud controllers for
// longer than any hand-over with the lab's short leases takes.
func waitForNoController(ctx context.Context, t *testing.T, lab *scenario.Lab, since time.Time) {
	t.Helper()
	const long = 25 // seconds: four leases of 6 s
	must(t, scenario.Until(ctx, "the cloud controllers to run nowhere", func(ctx context.Context) (bool, string, error) {
		seen, text, err := lab.Observe(ctx, since)
		for _, controller := range []string{scenario.Service, scenario.Route, scenario.Lifecycle} {
			if gap := seen.Of(controller).OpenGap(); gap == nil || gap.Seconds < long {
				return false, text, err
			}
		}
		return err == nil, text, err
	}))
}

// runBy waits until exactly one process runs each of the controllers and it is of the given
// kind.
func runBy(ctx context.Context, t *testing.T, lab *scenario.Lab, since time.Time, kind string, controllers ...string) {
	t.Helper()
	must(t, scenario.Until(ctx, "one "+kind+" to run "+strings.Join(controllers, ", "), func(ctx context.Context) (bool, string, error) {
		seen, text, err := lab.Observe(ctx, since)
		for _, controller := range controllers {
			if by := seen.Of(controller).RunBy(); len(by) != 1 || by[0].Kind != kind {
				return false, text, err
			}
		}
		return err == nil, text, err
	}))
}

// inTreeStays checks that nothing was switched since a time. Every kube-controller-manager runs
// and ran with the given provider, exactly one runs the cloud controllers, no two did, and the
// Cluster object never says external.
func inTreeStays(ctx context.Context, t *testing.T, lab *scenario.Lab, since time.Time, provider string) {
	t.Helper()
	kcmsRun(ctx, t, lab, provider)
	started, err := lab.Started(scenario.KubeControllerManager, since)
	must(t, err)
	for _, p := range started {
		if last := p.Last("cloud-provider"); last != "aws" {
			t.Errorf("%s was started with --cloud-provider=%s", p.Name, last)
		}
	}
	config, err := lab.RKEConfig(ctx)
	must(t, err)
	if text := fmt.Sprint(config["machineGlobalConfig"], config["machineSelectorConfig"]); strings.Contains(text, "external") {
		t.Errorf("the Cluster object says external: %s", text)
	}
	runBy(ctx, t, lab, since, scenario.KubeControllerManager, scenario.Service, scenario.Route, scenario.Lifecycle)
	seen, text, err := lab.Observe(ctx, since)
	if err != nil || seen.Overlaps() > 0 || len(seen.Blind) > 0 {
		t.Errorf("observer: %v\n%s", err, text)
	}
}

// ownRecords matches the requests with which awsmigrate writes its lock, its journal and the count of
// goals.
var ownRecords = regexp.MustCompile(`^management\.log: \w+ .*/namespaces/fleet-default/(configmaps|leases)\b\S* of "awsmigrate-demo"$|` +
	`: \w+ /api/v1/namespaces/kube-system/configmaps\b\S* of "awsmigrate"$`)

// clusterUntouched checks by the audit logs that awsmigrate wrote nothing in the migrated
// cluster and to no object of Rancher. Its own lock, journal and count do not count.
func clusterUntouched(t *testing.T, lab *scenario.Lab, since time.Time) {
	t.Helper()
	writes, err := lab.Writes(since, "awsmigrate")
	must(t, err)
	writes = slices.DeleteFunc(writes, func(w string) bool { return ownRecords.MatchString(w) })
	for _, w := range writes {
		t.Errorf("wrote: %s", w)
	}
}

// says waits until a run has printed a text.
func says(ctx context.Context, t *testing.T, run *scenario.Run, what string) {
	t.Helper()
	must(t, scenario.Until(ctx, "awsmigrate to say "+what, func(context.Context) (bool, string, error) {
		text := run.Stdout() + run.Stderr()
		if strings.Contains(text, what) {
			return true, "", nil
		}
		if err := run.Ended(); err != nil {
			t.Fatalf("it ended without %q, %v:\n%s", what, err, text)
		}
		return false, "it runs", nil
	}))
}

// ends waits for the end of a run and checks its exit code and output.
func ends(ctx context.Context, t *testing.T, run *scenario.Run, wanted int, what ...string) {
	t.Helper()
	code, err := run.Wait(ctx)
	text := run.Stdout() + run.Stderr()
	if err != nil || code != wanted {
		t.Fatalf("exit %d, %v; wanted %d\n%s", code, err, wanted, text)
	}
	for _, part := range what {
		if !strings.Contains(text, part) {
			t.Errorf("does not say %q:\n%s", part, text)
		}
	}
}
