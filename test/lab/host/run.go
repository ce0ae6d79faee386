package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// order is a program to run on a host. The host's first process reads it from a connection, and
// answers with an ending. If the connection is closed before, it kills the program.
type order struct {
	Path string   `json:"path"`
	Args []string `json:"args"`
	Log  string   `json:"log"` // file to which the output is appended
}

type ending struct {
	Error string `json:"error"`
}

// ordersSocket is the address at which a host's first process takes orders. It is short from outside
// too, where the address of a socket has at most 107 bytes.
const ordersSocket = "/run/lab-orders.sock"

// children are the programs that the host's first process has started.
type children struct {
	mu    sync.Mutex
	ended map[int]chan syscall.WaitStatus
}

// start starts a program. The channel gets its status once.
func (c *children) start(path string, args []string, log string) (int, <-chan syscall.WaitStatus, error) {
	out, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, nil, err
	}
	defer out.Close()
	if path, err = exec.LookPath(path); err != nil {
		return 0, nil, err
	}
	c.mu.Lock() // held until the program is known, so that its end is not missed
	defer c.mu.Unlock()
	process, err := os.StartProcess(path, append([]string{path}, args...), &os.ProcAttr{
		Env: []string{"PATH=" + searchPath, "HOME=/root"}, Files: []*os.File{nil, out, out},
	})
	if err != nil {
		return 0, nil, err
	}
	ended := make(chan syscall.WaitStatus, 1)
	c.ended[process.Pid] = ended
	return process.Pid, ended, nil
}

// reap collects ended processes, as the first process of a PID namespace must.
func (c *children) reap() error {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("wait for its processes: %w", err)
		}
		c.mu.Lock()
		if ended, ok := c.ended[pid]; ok {
			ended <- status
			delete(c.ended, pid)
		}
		c.mu.Unlock()
	}
}

// serveOrders runs the programs that orders name.
func (c *children) serveOrders(socket string) error {
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer conn.Close()
			_ = json.NewEncoder(conn).Encode(ending{Error: c.follow(conn)}) // fails if the caller is gone
		}()
	}
}

// follow runs one order and returns how it ended.
func (c *children) follow(conn net.Conn) string {
	var wanted order
	if err := json.NewDecoder(conn).Decode(&wanted); err != nil {
		return err.Error()
	}
	pid, ended, err := c.start(wanted.Path, wanted.Args, wanted.Log)
	if err != nil {
		return err.Error()
	}
	go func() {
		_, _ = conn.Read(make([]byte, 1)) // until the other side closes
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}()
	status := <-ended
	return fmt.Sprintf("exit code %d, signal %v; see %s", status.ExitStatus(), status.Signal(), wanted.Log)
}

// run runs a program until it ends, and returns its end as an error. If ctx ends before, it is
// killed.
func (o order) run(ctx context.Context, socket string) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if err := json.NewEncoder(conn).Encode(o); err != nil {
		return err
	}
	var end ending
	err = json.NewDecoder(io.LimitReader(conn, maxAnswer)).Decode(&end)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err
	}
	return errors.New(end.Error)
}
