package host

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// metadataAddress is that of every instance's metadata service.
const metadataAddress = "169.254.169.254"

// listenMetadata listens at the metadata service's address inside a host, whose first process has
// the ID. The listener belongs to that network however it is used.
func listenMetadata(pid int) (net.Listener, error) {
	type answer struct {
		listener net.Listener
		err      error
	}
	done := make(chan answer)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread in the other network ends with this goroutine
		l, err := listenIn(pid, net.JoinHostPort(metadataAddress, "80"))
		done <- answer{l, err}
	}()
	got := <-done
	return got.listener, got.err
}

func listenIn(pid int, address string) (net.Listener, error) {
	network, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", pid))
	if err != nil {
		return nil, err
	}
	defer network.Close()
	if err := unix.Setns(int(network.Fd()), unix.CLONE_NEWNET); err != nil {
		return nil, fmt.Errorf("enter the network of process %d: %w", pid, err)
	}
	return net.Listen("tcp", address)
}

// serveMetadata serves a host's metadata until ctx ends. The address appears with the host's
// network, so it is tried until then.
func serveMetadata(ctx context.Context, pid int, handler http.Handler) error {
	listener, err := listenMetadataOnce(ctx, pid)
	if err != nil {
		return fmt.Errorf("its metadata service: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() { _ = server.Serve(listener) }()
	return nil
}

func listenMetadataOnce(ctx context.Context, pid int) (net.Listener, error) {
	ctx, cancel := context.WithTimeout(ctx, cableTimeout)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		l, err := listenMetadata(pid)
		if err == nil {
			return l, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, err
		}
	}
}
