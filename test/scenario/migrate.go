package scenario

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// Run is one process of awsmigrate.
type Run struct {
	Args []string
	cmd  *exec.Cmd
	out  *lockedBuffer
	err  *lockedBuffer
	done chan struct{}
	exit error
}

// Start starts awsmigrate against the lab, through Rancher, as its operator. Its output also goes
// to out.
func (l *Lab) Start(ctx context.Context, out io.Writer, args ...string) (*Run, error) {
	return l.startAs(ctx, "rancher", out, args...)
}

func (l *Lab) startAs(ctx context.Context, kubeconfig string, out io.Writer, args ...string) (*Run, error) {
	return l.startWith(ctx, l.binary("awsmigrate"), []string{"KUBECONFIG=" + l.Kubeconfig(kubeconfig)}, out, args...)
}

// startWith starts a build of awsmigrate with additional variables.
func (l *Lab) startWith(ctx context.Context, program string, env []string, out io.Writer, args ...string) (*Run, error) {
	r := &Run{Args: args, out: &lockedBuffer{}, err: &lockedBuffer{}, done: make(chan struct{})}
	r.cmd = exec.CommandContext(ctx, program, args...)
	r.cmd.Env = append(append([]string{}, l.env...), env...)
	r.cmd.Stdout = io.MultiWriter(r.out, out)
	r.cmd.Stderr = io.MultiWriter(r.err, out)
	if err := r.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start awsmigrate %s: %w", strings.Join(args, " "), err)
	}
	go func() {
		r.exit = r.cmd.Wait()
		close(r.done)
	}()
	return r, nil
}

// Awsmigrate runs awsmigrate to its end and returns exit code, stdout and stderr.
func (l *Lab) Awsmigrate(ctx context.Context, out io.Writer, args ...string) (int, string, string, error) {
	return l.AwsmigrateAs(ctx, "rancher", out, args...)
}

// AwsmigrateAs runs Awsmigrate with another of the lab's kubeconfigs.
func (l *Lab) AwsmigrateAs(ctx context.Context, kubeconfig string, out io.Writer, args ...string) (int, string, string, error) {
	r, err := l.startAs(ctx, kubeconfig, out, args...)
	if err != nil {
		return -1, "", "", err
	}
	code, err := r.Wait(ctx)
	return code, r.Stdout(), r.Stderr(), err
}

// Wait waits for the end and returns the exit code.
func (r *Run) Wait(ctx context.Context) (int, error) {
	select {
	case <-r.done:
	case <-ctx.Done():
		return -1, fmt.Errorf("awsmigrate %s: %w", strings.Join(r.Args, " "), ctx.Err())
	}
	var exit *exec.ExitError
	if errors.As(r.exit, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, r.exit
}

// Done is closed when the process has ended.
func (r *Run) Done() <-chan struct{} { return r.done }

// Ended returns an error once the process has ended, so that a wait for its effects can stop.
func (r *Run) Ended() error {
	select {
	case <-r.done:
		return fmt.Errorf("awsmigrate %s has ended: %w", strings.Join(r.Args, " "), errors.Join(r.exit, errEnded))
	default:
		return nil
	}
}

var errEnded = errors.New("nothing more will happen")

// RKE runs the lab's rke, as a person does.
func (l *Lab) RKE(ctx context.Context, out io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(l.Dir, "bin", "rke"), args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = l.env, out, out
	return cmd.Run()
}

// Signal sends a signal to the process.
func (r *Run) Signal(s syscall.Signal) error { return r.cmd.Process.Signal(s) }

// PID returns the process ID.
func (r *Run) PID() int { return r.cmd.Process.Pid }

// Stdout returns the standard output so far.
func (r *Run) Stdout() string { return r.out.String() }

// Stderr returns the standard error so far.
func (r *Run) Stderr() string { return r.err.String() }

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
