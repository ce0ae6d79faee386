package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/awsmigrate/awsmigrate/test/lab/host"
	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

func (f Files) serveLog() string { return f.in("serve.log") }
func (f Files) options() string  { return f.in("options.json") }

// sweepTimeout bounds the time in which a killed process must vanish.
const sweepTimeout = 10 * time.Second

// Up boots a lab in the folder and waits until it is ready. It first kills and removes the
// remains of an earlier lab there. progress is called for each change.
func Up(ctx context.Context, dir string, command []string, options Options, progress func(string)) (*Client, error) {
	if err := options.Validate(); err != nil {
		return nil, err
	}
	if options.Real && strings.ContainsAny(dir, ",:") {
		return nil, fmt.Errorf("folder %s: a comma or colon separates options of the mounts of --machines real; choose a folder without them", dir)
	}
	f := Files{Dir: dir}
	if _, err := Open(dir); err == nil {
		return nil, fmt.Errorf("lab %s already runs; `lab down` ends it", dir)
	}
	if err := vacate(ctx, f); err != nil {
		return nil, err
	}
	raw, err := json.MarshalIndent(options, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(f.options(), raw, 0o600); err != nil {
		return nil, err
	}
	return start(ctx, f, command, progress)
}

// vacate empties a folder that held a lab. It does not touch a folder with other contents.
func vacate(ctx context.Context, f Files) error {
	if err := sweep(ctx, f.Dir); err != nil {
		return fmt.Errorf("lab %s: %w", f.Dir, err)
	}
	entries, err := os.ReadDir(f.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return os.MkdirAll(f.Dir, 0o755)
	}
	if err != nil || len(entries) == 0 {
		return err
	}
	if _, err := os.Stat(f.options()); err != nil {
		return fmt.Errorf("folder %s holds files, but not a lab's; choose another", f.Dir)
	}
	for _, e := range entries {
		if err := os.RemoveAll(f.in(e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// start runs the supervisor in the background, in its own session, so that it does not get the
// terminal's signals.
func start(ctx context.Context, f Files, command []string, progress func(string)) (*Client, error) {
	log, err := os.OpenFile(f.serveLog(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(command[0], append(command[1:], "serve", "--dir", f.Dir)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = proc.WithoutAWS(os.Environ()) // the nodes' agents run in this process and ask their own AWS
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if err := proc.Mark(f.Dir, "lab serve", cmd.Process.Pid); err != nil {
		return nil, errors.Join(err, cmd.Process.Kill())
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return waitReady(ctx, f, ended, progress)
}

func waitReady(ctx context.Context, f Files, ended <-chan error, progress func(string)) (*Client, error) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	last := ""
	for {
		if c, err := Open(f.Dir); err == nil {
			if s, err := c.Status(ctx); err == nil {
				if s.Phase == PhaseReady {
					return c, nil
				}
				if seen := s.Phase + ": " + s.Detail; seen != last {
					last = seen
					progress(seen)
				}
			}
		}
		select {
		case err := <-ended:
			return nil, fmt.Errorf("the lab ended before it was ready: %w\n%s", err, tail(f.serveLog(), 15))
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for the lab, last seen %q: %w", last, ctx.Err())
		case <-tick.C:
		}
	}
}

func tail(path string, lines int) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(raw), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// ReadOptions reads the options that Up wrote.
func ReadOptions(dir string) (Options, error) {
	var o Options
	raw, err := os.ReadFile(Files{Dir: dir}.options())
	if err != nil {
		return o, fmt.Errorf("lab %s: its options: %w", dir, err)
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		return o, fmt.Errorf("lab %s: its options: %w", dir, err)
	}
	return o, o.Validate()
}

// downTimeout bounds the time in which the supervisor must stop everything.
const downTimeout = 20 * time.Second

// Down ends the lab in the folder and kills what remains. The folder with its records stays.
func Down(ctx context.Context, dir string) error {
	c, err := Open(dir)
	if err == nil {
		// A supervisor that ends may take its answer with it: what counts is its end.
		_, asked := c.Do(ctx, "stop", Order{})
		ctx, cancel := context.WithTimeout(ctx, downTimeout)
		defer cancel()
		err = poll(ctx, 50*time.Millisecond, "the supervisor's end", func(context.Context) (bool, string, error) {
			return !proc.Alive(dir, c.handle.PID), "it runs", nil
		})
		if err != nil && (asked != nil || ctx.Err() == nil) {
			return errors.Join(asked, err)
		}
	} else if !NoLab(err) {
		return err
	}
	return sweep(ctx, dir)
}

// sweep ends what is left of a lab, and removes what hosts left on this machine.
func sweep(ctx context.Context, dir string) error {
	if _, err := proc.Sweep(dir, sweepTimeout); err != nil {
		return err
	}
	return host.Clean(ctx, dir)
}
