package controller

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Serve runs a controller and an HTTP server. /healthz succeeds while the process works, and
// /readyz once its caches are filled, with or without leadership. /metrics has the metrics.
func Serve(ctx context.Context, address string, c *Controller) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen for probes: %w", err)
	}
	server := &http.Server{Handler: c.handler(), ReadHeaderTimeout: 5 * time.Second}
	over := make(chan error, 1)
	go func() { over <- server.Serve(listener) }()
	err = c.Run(ctx)
	if closed := server.Close(); closed != nil {
		err = errors.Join(err, closed)
	}
	if served := <-over; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

func (c *Controller) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !c.Ready() {
			http.Error(w, "the caches are not filled yet", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	if c.o.Metrics != nil {
		mux.Handle("GET /metrics", c.o.Metrics)
	}
	return mux
}
