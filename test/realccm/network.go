package realccm

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/test/apart"
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
	code, err = apart.Again(ctx, inside, syscall.CLONE_NEWNET)
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
