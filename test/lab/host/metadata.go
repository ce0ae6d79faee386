package host

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// metadataAddress is the address of every instance's metadata service.
const metadataAddress = "169.254.169.254"

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
		l, err := listenIn(pid, net.JoinHostPort(metadataAddress, "80"))
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
