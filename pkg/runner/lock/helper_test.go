package lock

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
)

// helperVariable makes the test binary a helper process: one that takes a
// lock, says so, and lives until its standard input ends.
const helperVariable = "AWSMIGRATE_TEST_HELPER"

func TestMain(m *testing.M) {
	if os.Getenv(helperVariable) == "" {
		m.Run()
		return
	}
	if err := help(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// holding configures the Lease that a helper holds; without a server it holds none.
type holding struct {
	Server, CA, Token string
	Name              string // of the Lease, in namespace default
	Host              string
	Machine           string        // keeps the last write of a run, or empty
	Duration          time.Duration // of the Lease
}

func help(ctx context.Context, in io.Reader, out io.Writer) error {
	input := json.NewDecoder(in)
	var h holding
	if err := input.Decode(&h); err != nil {
		return err
	}
	if h.Server != "" {
		if err := h.take(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, "ready")
	_, err := io.Copy(io.Discard, io.MultiReader(input.Buffered(), in))
	return err
}

// take takes the lock as a run does, and keeps it.
func (h holding) take(ctx context.Context) error {
	c, err := kubernetes.NewForConfig(&rest.Config{
		Host: h.Server, BearerToken: h.Token, TLSClientConfig: rest.TLSClientConfig{CAFile: h.CA},
	})
	if err != nil {
		return err
	}
	owner := Owner{User: "alice", Host: h.Host, PID: os.Getpid(), Start: time.Now(), Run: "run-alice"}
	owner.Place, owner.Tick = HostProcesses().Self()
	l := NewLease(c, "default", h.Name, owner, clock.RealClock{})
	l.Duration = h.Duration
	if h.Machine != "" {
		l.Witness = files{h.Machine}
	}
	return l.Acquire(ctx)
}

// helper is a running helper process.
type helper struct {
	t    *testing.T
	cmd  *exec.Cmd
	done bool
}

// startHelper starts a helper that holds h and ends with the test, or with us.
func startHelper(t *testing.T, h holding) *helper {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &helper{t: t, cmd: exec.Command(binary)}
	p.cmd.Env, p.cmd.Stderr = append(os.Environ(), helperVariable+"=1"), os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	if err := json.NewEncoder(in).Encode(h); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("the helper said %q: %v", line, err)
	}
	return p
}

func (p *helper) pid() int { return p.cmd.Process.Pid }

// kill sends SIGKILL and waits for the end of the process.
func (p *helper) kill() {
	if p.done {
		return
	}
	if err := p.cmd.Process.Kill(); err != nil {
		p.t.Error(err)
	}
	p.reap()
}

// reap waits for a process that was killed, and says how it ended.
func (p *helper) reap() *os.ProcessState {
	p.done = true
	_ = p.cmd.Wait() // killed: always an error
	return p.cmd.ProcessState
}
