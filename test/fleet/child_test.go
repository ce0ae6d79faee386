package fleet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/awsmigrate/awsmigrate/internal/cli"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/controller"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/test/fleet"
)

// Variables that make this binary another program, so that its memory is measured alone, and a kill
// ends it alone.
const (
	asController = "FLEET_CONTROLLER" // a podSpec
	asCommand    = "FLEET_COMMAND"    // awsmigrate; a file for its peak of memory
)

// podSpec describes a controller of the tests.
type podSpec struct {
	Name  string
	Start time.Time // of the clock
	Times int
	Runs  int
	// Production has the timing of the leader election that is the controller's default.
	Production bool
	// Kill is the number of calls to the management cluster, after SIGUSR1, at which the process kills
	// itself: before the last one of an odd number, after that of an even one.
	Kill int64
	// Requests is a file for the number of its requests to the management cluster, or empty.
	Requests string
}

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(asController) != "":
		runtime.MemProfileRate = 0 // a program without package testing keeps no such profile
		if err := runController(os.Getenv(asController)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case os.Getenv(asCommand) != "":
		code := cli.MainAs(context.Background(), "awsmigrate", os.Args[1:], console.SystemStreams())
		_ = os.WriteFile(os.Getenv(asCommand), fmt.Append(nil, peakOf("self")), 0o600)
		os.Exit(code)
	default:
		os.Exit(m.Run())
	}
}

// peakOf returns the peak resident memory of a process in bytes (proc(5)), or 0 without it. The rusage
// of a process counts its parent's memory too.
func peakOf(pid string) (bytes int64) {
	text, _ := os.ReadFile("/proc/" + pid + "/status")
	for line := range strings.Lines(string(text)) {
		if after, is := strings.CutPrefix(line, "VmHWM:"); is {
			_, _ = fmt.Sscan(after, &bytes)
		}
	}
	return bytes << 10
}

// poll is the interval of a run's observations.
const poll = 5 * time.Second

// runController runs a controller with the clock of a fleet, until SIGTERM.
func runController(text string) error {
	var pod podSpec
	if err := json.Unmarshal([]byte(text), &pod); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	calls := &calls{}
	go calls.arm(ctx, pod.Kill)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return counting{next, calls} })
	if pod.Requests != "" {
		go calls.report(ctx, pod.Requests)
	}
	engine := controller.Sessions()
	run, guard := engine.Run, engine.Guard
	engine.Run = func(ctx context.Context, c session.Connector, o session.Options) (session.Result, error) {
		o.Poll = poll
		return run(ctx, c, o)
	}
	engine.Guard = func(ctx context.Context, c session.Connector, o session.Options) (session.Result, error) {
		o.Poll = poll
		return guard(ctx, c, o)
	}
	election := controller.Election{Lease: 15 * time.Second, Renew: 10 * time.Second, Retry: 2 * time.Second}
	if pod.Production {
		election = controller.Election{}
	}
	c, err := controller.New(controller.Options{Config: config, Namespaces: []string{fleet.Namespace}, Version: "v1", Engine: engine,
		Runs: pod.Runs, Actor: session.Actor{User: "controller", Host: pod.Name}, Clock: fleet.Fast{Start: pod.Start, Times: pod.Times},
		Asks:     v1alpha1.AWS{Mode: v1alpha1.AWSDisabled},
		Election: election,
		Log:      slog.New(slog.NewJSONHandler(os.Stderr, nil))})
	if err != nil {
		return err
	}
	return c.Run(ctx)
}

// calls counts the calls to the management cluster, without those of the leader election and of
// watches.
type calls struct {
	made, killAt atomic.Int64
}

// arm sets the call at which the process kills itself, at SIGUSR1.
func (c *calls) arm(ctx context.Context, kill int64) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	select {
	case <-signals:
		c.killAt.Store(c.made.Load() + kill)
	case <-ctx.Done():
	}
}

// report writes the number of calls to a file, until ctx ends. A reader never finds it empty.
func (c *calls) report(ctx context.Context, path string) {
	for ctx.Err() == nil {
		_ = os.WriteFile(path+".new", fmt.Append(nil, c.made.Load()), 0o600)
		_ = os.Rename(path+".new", path)
		time.Sleep(time.Second / 5)
	}
}

// counting counts calls, and kills the process at one of them.
type counting struct {
	http.RoundTripper
	of *calls
}

// RoundTrip implements http.RoundTripper.
func (c counting) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.HasSuffix(req.URL.Path, "/leases/awsmigrate") || req.URL.Query().Has("watch") { // in the machine's time
		return c.RoundTripper.RoundTrip(req)
	}
	n := c.of.made.Add(1)
	fatal := n == c.of.killAt.Load()
	if fatal && n%2 != 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	res, err := c.RoundTripper.RoundTrip(req)
	if fatal {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return res, err
}
