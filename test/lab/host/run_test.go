package host

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ordersFor is the variable with which this program is the first process of a host, as far as it
// runs orders; it has their address.
const ordersFor = "LAB_TEST_ORDERS"

func TestMain(m *testing.M) {
	if socket := os.Getenv(ordersFor); socket != "" {
		all := &children{ended: map[int]chan syscall.WaitStatus{}}
		go func() { _ = all.reap() }() // ends when there is no child
		fmt.Fprintln(os.Stderr, all.serveOrders(socket))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// A program's end is reported with its exit code, and its output is in its log.
func TestRun(t *testing.T) {
	socket := startOrders(t)
	log := filepath.Join(t.TempDir(), "log")
	err := order{"sh", []string{"-c", "echo $0; exit 3", "text"}, log}.run(t.Context(), socket)
	if err == nil || !strings.Contains(err.Error(), "exit code 3") {
		t.Errorf("%v, wanted exit code 3", err)
	}
	if out, err := os.ReadFile(log); err != nil || string(out) != "text\n" {
		t.Errorf("log %q, %v", out, err)
	}
	if err := (order{"no-such-program", nil, log}).run(t.Context(), socket); err == nil || !strings.Contains(err.Error(), "no-such-program") {
		t.Errorf("%v, wanted the missing program", err)
	}
}

// A program is killed if its caller ends the wait.
func TestRun_contextEnds_killed(t *testing.T) {
	socket := startOrders(t)
	ctx, cancel := context.WithCancel(t.Context())
	log := filepath.Join(t.TempDir(), "log")
	ended := make(chan error)
	go func() { ended <- order{"sh", []string{"-c", "echo $$; exec sleep 600"}, log}.run(ctx, socket) }()
	var pid int
	eventually(t, "the program's ID", func() bool {
		select {
		case err := <-ended:
			t.Fatalf("the order ended early: %v", err)
		default:
		}
		raw, _ := os.ReadFile(log)
		_, err := fmt.Sscan(string(raw), &pid)
		return err == nil
	})
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v, wanted the end of the context", err)
	}
	eventually(t, "the program's end", func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) })
}

// startOrders runs this program as the first process of a host that has one child all the time.
func startOrders(t *testing.T) (socket string) {
	t.Helper()
	socket = filepath.Join(t.TempDir(), "orders.sock")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	first := exec.Command("sh", "-c", "sleep 600 & exec \"$0\"", self)
	first.Env = append(os.Environ(), ordersFor+"="+socket)
	first.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-first.Process.Pid, syscall.SIGKILL)
		_ = first.Wait() // it was killed
	})
	eventually(t, socket, func() bool { // the file appears before the socket takes connections
		conn, err := net.Dial("unix", socket)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return socket
}

func eventually(t *testing.T, what string, met func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !met() {
		if time.Now().After(deadline) {
			t.Fatalf("waited 30s for %s", what)
		}
		<-time.After(10 * time.Millisecond)
	}
}
