// Command component is the one program in the image of a real kubelet's pods. It is no controller
// manager: it runs, ends on request, answers a probe, and writes down every 100 ms that it runs.
// So the times in which it ran are known from the process alone. It knows no cluster.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

const beat = 100 * time.Millisecond

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "component:", err)
		os.Exit(1)
	}
}

type options struct {
	beats, serve string
	stays        bool
}

func parse(args []string) (options, error) {
	var o options
	set := flag.NewFlagSet("component", flag.ContinueOnError)
	set.StringVar(&o.beats, "beats", "", "folder to write a file with the time of each beat to; empty: none")
	set.StringVar(&o.serve, "serve", "", "address that answers a probe; empty: none")
	set.BoolVar(&o.stays, "stays", false, "do not end by SIGTERM")
	set.String("name", "", "of the pod, for who looks at processes; changes nothing")
	set.String("cloud-provider", "", "as a controller manager has it; changes nothing")
	if err := set.Parse(args); err != nil {
		return o, fmt.Errorf("arguments %q: %w", args, err)
	}
	return o, nil
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if o.serve != "" {
		listener, err := net.Listen("tcp", o.serve)
		if err != nil {
			return fmt.Errorf("listen on %s for probes: %w", o.serve, err)
		}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") }), ReadHeaderTimeout: time.Second}
		go func() { _ = server.Serve(listener) }() // ends with the process
	}
	if o.stays {
		ctx = context.WithoutCancel(ctx)
	}
	return beats(ctx, o.beats)
}

// beats writes the time of each beat until ctx ends. The file is named after the container's PID
// namespace, by which an observer outside the namespace identifies it.
func beats(ctx context.Context, dir string) (err error) {
	if dir == "" {
		<-ctx.Done()
		return nil
	}
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return fmt.Errorf("read which PID namespace this is: %w", err)
	}
	path := filepath.Join(dir, fmt.Sprintf("%s.%d", namespace, time.Now().UnixNano()))
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("write beats: %w", err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		if _, err := fmt.Fprintln(out, time.Now().UnixNano()); err != nil {
			return fmt.Errorf("write beats to %s: %w", path, err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
