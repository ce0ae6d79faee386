//go:build slow

package e2e

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// rkeSteps are writingSteps without the snapshot, which is off by default.
var rkeSteps = []string{"lease-access", "enable-leader-migration", "cordon", "install-ccm", "switch-provider", "uncordon", "disable-leader-migration"}

// TestRKEKilledInEveryStep kills awsmigrate once in each step, also during `rke up`. The
// orphaned rke finishes, and the next run waits for it.
func TestRKEKilledInEveryStep(t *testing.T) {
	killInEveryStep(t, boot(t, "--distro", "rke", "--lease", quick), rkeSteps)
}

// TestRKEIsCutOff ends rke in every possible way in one migration: killed from outside, left to
// a person, and allowed to finish after the first Ctrl-C.
func TestRKEIsCutOff(t *testing.T) {
	lab := boot(t, "--distro", "rke", "--lease", quick)
	ctx := within(t, 25*time.Minute)
	before, err := lab.Identities(ctx)
	must(t, err)
	start := time.Now()

	run, err := lab.Start(ctx, testWriter{t}, lab.Command("", "--yes")...)
	must(t, err)
	killRKE(ctx, t, lab, run)
	if code, err := run.Wait(ctx); err != nil || code != 3 || !strings.Contains(run.Stderr()+run.Stdout(), "killed") {
		t.Fatalf("rke killed: exit %d, %v", code, err)
	}

	byHand := lab.Command("", "--yes", "--no-rke-up", "--until", "enable-leader-migration")
	if code, _, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, byHand...); err != nil || code != 6 || !strings.Contains(stderr, "rke up --config") {
		t.Fatalf("--no-rke-up: exit %d, %v, wanted 6 and the command", code, err)
	}
	for range 2 { // the first one may start what the killed one had stopped
		must(t, lab.RKE(ctx, testWriter{t}, "up", "--config", lab.ClusterFile))
	}
	if code, _, _, err := lab.Awsmigrate(ctx, testWriter{t}, byHand...); err != nil || code != 0 {
		t.Fatalf("--no-rke-up after rke up: exit %d, %v", code, err)
	}

	run, err = lab.Start(ctx, testWriter{t}, lab.Command("", "--yes")...)
	must(t, err)
	must(t, scenario.Until(ctx, "rke to work in switch-provider", func(context.Context) (bool, string, error) {
		_, after, found := strings.Cut(run.Stdout(), "◐  switch-provider")
		return found && strings.Contains(after, "healthcheck"), "awsmigrate runs", run.Ended()
	}))
	must(t, run.Signal(syscall.SIGINT))
	if code, err := run.Wait(ctx); err != nil || code != 130 || !strings.Contains(run.Stdout()+run.Stderr(), "rke finishes") {
		t.Fatalf("Ctrl-C: exit %d, %v, wanted 130 and a word about rke", code, err)
	}
	if !strings.Contains(run.Stderr(), "Finished building Kubernetes cluster successfully") {
		t.Error("rke was not let finish")
	}
	if code, _, _, err := lab.Awsmigrate(ctx, testWriter{t}, lab.Command("", "--yes")...); err != nil || code != 0 {
		t.Fatalf("resumed: exit %d, %v", code, err)
	}
	judgeEnd(ctx, t, lab, before, start)
}

// killRKE kills the rke that awsmigrate has started, once it has changed a host.
func killRKE(ctx context.Context, t *testing.T, lab *scenario.Lab, run *scenario.Run) {
	t.Helper()
	must(t, scenario.Until(ctx, "rke to be killed", func(context.Context) (bool, string, error) {
		if !strings.Contains(run.Stderr(), "kube-controller-manager") {
			return false, "rke has not touched a kube-controller-manager", run.Ended()
		}
		return true, "", syscall.Kill(childOf(run.PID(), lab.ClusterFile), syscall.SIGKILL)
	}))
}

// childOf returns the process ID of the rke below a process, or one that cannot exist.
func childOf(parent int, file string) int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		fields := bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:])
		if len(fields) < 2 || string(fields[1]) != strconv.Itoa(parent) {
			continue
		}
		words, err := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && pid > 0 && bytes.Contains(words, []byte(file)) {
			return pid
		}
	}
	return 1<<31 - 1
}
