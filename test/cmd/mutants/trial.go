package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/awsmigrate/awsmigrate/test/overlay"
)

// trial runs unit tests, one mutant after the other.
type trial struct {
	dir     string
	timeout time.Duration
	jobs    int
	out     io.Writer
}

// green runs the tests of every package without a mutant. A failing test would kill every mutant.
// A test that needs a server and was not skipped fails here.
func (t trial) green(ctx context.Context, packages []*pkg) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(t.jobs)
	for _, p := range packages {
		group.Go(func() error {
			dir, err := folder(t.dir)
			if err != nil {
				return err
			}
			defer func() { _ = os.RemoveAll(dir) }()
			if err := t.tests(ctx, p, dir, ""); err != nil {
				return fmt.Errorf("without a mutant: %w", err)
			}
			return nil
		})
	}
	return group.Wait()
}

// folder creates a folder that other users can enter: as root, some tests act as another user.
func folder(in string) (string, error) {
	dir, err := os.MkdirTemp(in, "mutants-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
}

// fate is the result of a mutant. A mutant that compiles may still not build: it can give a test
// two equal cases of a switch.
type fate struct {
	mutant        mutant
	killed, built bool
	late          bool // killed by the timeout
	err           error
}

// tally counts the results.
type tally struct{ killed, late, tried int }

// score tries mutants until n of them were built, or the stock is used up.
func (t trial) score(ctx context.Context, s *stock, n int) (tally, error) {
	var sum tally
	var failed error
	for batch := s.take(n); len(batch) > 0; {
		var again []mutant
		for f := range t.all(ctx, batch) {
			failed = errors.Join(failed, f.err)
			if m, more := s.replace(f); more {
				again = append(again, m)
			}
			t.count(&sum, f)
		}
		if failed != nil {
			return sum, failed
		}
		batch = again
	}
	return sum, nil
}

// replace returns another mutant of the same package for one that was not built.
func (s *stock) replace(f fate) (mutant, bool) {
	if f.built || f.err != nil {
		return mutant{}, false
	}
	return s.next(f.mutant.pkg)
}

func (t trial) count(sum *tally, f fate) {
	if !f.built || f.err != nil {
		return
	}
	sum.tried++
	if !f.killed {
		fmt.Fprintln(t.out, f.mutant)
		return
	}
	sum.killed++
	if f.late {
		sum.late++
	}
}

// all tries mutants, one per job at a time.
func (t trial) all(ctx context.Context, batch []mutant) <-chan fate {
	fates := make(chan fate, len(batch))
	var working errgroup.Group
	working.SetLimit(t.jobs)
	go func() {
		defer close(fates)
		for _, m := range batch {
			working.Go(func() error {
				fates <- t.try(ctx, m)
				return nil
			})
		}
		_ = working.Wait() // the fates hold the errors
	}()
	return fates
}

// try runs the tests of a mutant's package, then those of the packages directly above it.
func (t trial) try(ctx context.Context, m mutant) fate {
	f := fate{mutant: m, built: true}
	dir, err := folder(t.dir)
	if err != nil {
		return fate{mutant: m, err: err}
	}
	defer func() { _ = os.RemoveAll(dir) }()
	list, err := overlay.Write(dir, map[string]string{m.source.path: m.text()})
	if err != nil {
		return fate{mutant: m, err: err}
	}
	for _, p := range append([]*pkg{m.pkg}, m.pkg.above...) {
		var red *redError
		var unbuilt *buildError
		switch err := t.tests(ctx, p, dir, list); {
		case err == nil:
		case ctx.Err() != nil:
			return fate{mutant: m, err: ctx.Err()}
		case errors.As(err, &red):
			f.killed, f.late = true, red.late
			return f
		case errors.As(err, &unbuilt):
			f.built = false
			return f
		default:
			f.err = err
			return f
		}
	}
	return f
}

// redError reports tests that fail or take too long. buildError reports tests that do not compile.
type (
	redError struct {
		said string
		late bool
	}
	buildError struct{ said string }
)

func (e *redError) Error() string   { return e.said }
func (e *buildError) Error() string { return e.said }

// tests builds and runs a package's tests in a separate folder.
func (t trial) tests(ctx context.Context, p *pkg, dir, list string) error {
	if !p.tested {
		return nil
	}
	binary := filepath.Join(dir, "tests")
	args := []string{"test", "-c", "-ldflags", "-s -w", "-o", binary}
	if list != "" {
		args = append(args, "-overlay", list)
	}
	build := exec.CommandContext(ctx, "go", append(args, ".")...)
	build.Dir = p.dir
	var failed *exec.ExitError
	if said, err := build.CombinedOutput(); errors.As(err, &failed) {
		return &buildError{fmt.Sprintf("build %s: %v\n%s", p.path, err, said)}
	} else if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	if said, err := t.command(ctx, p, dir, binary).CombinedOutput(); errors.As(err, &failed) || errors.Is(err, exec.ErrWaitDelay) {
		return &redError{fmt.Sprintf("%s: %v\n%s", p.path, err, said), ctx.Err() != nil}
	} else if err != nil {
		return err
	}
	return nil
}

// memoryLimit is the limit of a mutant in KiB, because a mutant may append without end.
const memoryLimit = "4194304"

// command runs a test binary without the lab's binaries, so that a test that needs a server fails.
// Its children and files are confined, so that they can be ended and removed.
func (t trial) command(ctx context.Context, p *pkg, dir, binary string) *exec.Cmd {
	args := []string{"-c", "ulimit -d " + memoryLimit + ` && exec "$0" "$@"`, binary, "-test.failfast"}
	if len(p.serverOnly) > 0 {
		args = append(args, "-test.skip", "^("+strings.Join(p.serverOnly, "|")+")$")
	}
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "AWSMIGRATE_LAB_BIN="+filepath.Join(dir, "none"), "TMPDIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}
