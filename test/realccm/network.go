package realccm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
)

// Addresses of the namespace. Go never sends loopback addresses to a proxy, so these are others.
const (
	serviceIP  = apiserver.ServiceIP
	awsIP      = "10.60.0.1"
	proxyIP    = "10.60.0.2"
	metadataIP = "169.254.169.254"
	otherIP    = "10.60.0.3" // another metadata service
)

// inside marks the process in the namespace.
const inside = "AWSMIGRATE_REAL_CCM_INSIDE"

// Isolate runs this program again in a new network namespace, and returns its exit code. In that
// second process it sets up the addresses and returns isolated as true.
func Isolate(ctx context.Context) (code int, isolated bool, err error) {
	if os.Getenv(inside) != "" {
		return 0, true, setUpLoopback(ctx)
	}
	self, err := os.Executable()
	if err != nil {
		return 1, false, fmt.Errorf("find this program, to start it in a namespace: %w", err)
	}
	again := exec.CommandContext(ctx, self, os.Args[1:]...)
	again.Env = append(os.Environ(), inside+"=1")
	again.Stdin, again.Stdout, again.Stderr = os.Stdin, os.Stdout, os.Stderr
	again.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread() // the death signal is sent when the starting thread ends
	defer runtime.UnlockOSThread()
	err = again.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code, err = max(exit.ExitCode(), 1), nil // a signal must not look like success
	}
	return code, false, err
}

func setUpLoopback(ctx context.Context) error {
	if err := command(ctx, "ip", "link", "set", "lo", "up"); err != nil {
		return err
	}
	for _, ip := range []string{serviceIP, awsIP, proxyIP, metadataIP, otherIP} {
		if err := command(ctx, "ip", "address", "add", ip+"/32", "dev", "lo"); err != nil {
			return err
		}
	}
	return nil
}

func command(ctx context.Context, name string, args ...string) error {
	if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %v: %w: %s", name, args, err, out)
	}
	return nil
}

// forward passes connections on to another address until the listener is closed.
func forward(l net.Listener, target string) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go join(conn, target)
	}
}

// join connects a client with a target until one of them ends.
func join(client net.Conn, target string) {
	defer client.Close()
	server, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		_, _ = io.Copy(server, client) // either side may end the connection
		_ = server.Close()
	}()
	_, _ = io.Copy(client, server)
}
