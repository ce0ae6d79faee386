//go:build slow

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// twoRunsAndAnInterrupt starts a second run while the first waits for machines, then interrupts
// the first, and lets a third one finish.
func twoRunsAndAnInterrupt(t *testing.T, lab *scenario.Lab) {
	ctx := within(t, 15*time.Minute)
	command := run("--until", "enable-leader-migration")
	first, err := lab.Start(ctx, testWriter{t}, command...)
	if err != nil {
		t.Fatal(err)
	}
	waits(ctx, t, first, "enable-leader-migration")
	since := time.Now()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	who, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	refuses(ctx, t, lab, scenario.Refusal{Args: command, Code: 8, Says: []string{"held by " + who.Username + " on " + host, fmt.Sprintf("pid %d", first.PID())}})
	t.Logf("the second run was refused after %.0f s", time.Since(since).Seconds())
	if holder, err := lab.LockHolder(ctx); err != nil || !strings.Contains(holder, fmt.Sprintf(`"pid":%d`, first.PID())) {
		t.Errorf("the lock is held by %q, %v", holder, err)
	}
	interruptedCleanly(ctx, t, lab, first)

	code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, command...)
	if err != nil || code != 0 {
		t.Fatalf("after the interrupt: exit %d, %v\n%s%s", code, err, stdout, stderr)
	}
	if seen, err := lab.Standing(ctx); err != nil || seen != "P2" {
		t.Errorf("the cluster is at %s, %v; wanted P2", seen, err)
	}
}

// interruptedCleanly interrupts a run once. It ends soon, releases its lock and prints how to
// continue.
func interruptedCleanly(ctx context.Context, t *testing.T, lab *scenario.Lab, r *scenario.Run) {
	t.Helper()
	began := time.Now()
	if err := r.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	code, err := r.Wait(soon)
	if err != nil || code != 130 {
		t.Fatalf("interrupted: exit %d, %v\n%s%s", code, err, r.Stdout(), r.Stderr())
	}
	t.Logf("ended %.1f s after the interrupt", time.Since(began).Seconds())
	if resume := "next:    awsmigrate " + strings.Join(r.Args, " "); !strings.Contains(r.Stdout()+r.Stderr(), resume) {
		t.Errorf("does not say %q:\n%s%s", resume, r.Stdout(), r.Stderr())
	}
	if holder, err := lab.LockHolder(ctx); err != nil || holder != "" {
		t.Errorf("the lock is still held by %q, %v", holder, err)
	}
}

// waits blocks until a run waits in a step.
func waits(ctx context.Context, t *testing.T, r *scenario.Run, step string) {
	t.Helper()
	err := scenario.Until(ctx, "awsmigrate to wait in "+step, func(context.Context) (bool, string, error) {
		select {
		case <-r.Done():
			t.Fatalf("it ended before it waited in %s:\n%s%s", step, r.Stdout(), r.Stderr())
		default:
		}
		for _, line := range strings.Split(r.Stdout(), "\n") {
			if strings.Contains(line, "◐  "+step) && strings.Contains(line, "waiting for") {
				return true, "", nil
			}
		}
		return false, "awsmigrate runs", nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
