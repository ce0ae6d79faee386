// Command mutants changes one place of migration and its backends at a time, at random, and checks
// that the package's unit tests notice. A seeded defect asks whether a promise holds; a mutant
// asks of any line whether a test would miss it. The sources stay unchanged. The command prints a
// line for each surviving mutant and a score. It exits with 1 below the threshold. Run it in the
// folder test.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

type options struct {
	number    int
	seed      uint64
	threshold float64 // in percent
	timeout   time.Duration
	jobs      int
	list      bool
	root      string
	patterns  []string
}

func run(ctx context.Context, out io.Writer, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	packages, err := load(ctx, o.root, o.patterns)
	if err != nil {
		return err
	}
	stock := newStock(packages, o.seed)
	if o.list {
		for _, m := range stock.take(o.number) {
			fmt.Fprintln(out, m)
		}
		return nil
	}
	dir, err := folder("")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	t := trial{dir: dir, timeout: o.timeout, jobs: o.jobs, out: out}
	if err := t.green(ctx, packages); err != nil {
		return err
	}
	got, err := t.score(ctx, stock, o.number)
	if err != nil {
		return err
	}
	if got.late > 0 { // a busy machine also causes timeouts
		fmt.Fprintf(out, "counted as killed, by the timeout of %s: %d\n", o.timeout, got.late)
	}
	percent := 100 * float64(got.killed) / float64(max(got.tried, 1))
	fmt.Fprintf(out, "killed %d of %d (%.1f %%)\n", got.killed, got.tried, percent)
	if percent < o.threshold {
		return fmt.Errorf("%.1f %% killed, wanted %.1f %%", percent, o.threshold)
	}
	return nil
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.IntVar(&o.number, "n", 200, "how many mutants")
	flags.Uint64Var(&o.seed, "seed", 1, "the same seed and sources give the same mutants")
	flags.Float64Var(&o.threshold, "threshold", 90, "percent that must be killed")
	flags.DurationVar(&o.timeout, "timeout", time.Minute, "for the tests of one package; a mutant that reaches it counts as killed")
	flags.IntVar(&o.jobs, "jobs", 2, "how many at a time")
	flags.BoolVar(&o.list, "list", false, "print the mutants and run nothing")
	flags.StringVar(&o.root, "C", "..", "the module that the packages are in")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.patterns = flags.Args(); len(o.patterns) == 0 {
		o.patterns = []string{"./pkg/migration/...", "./pkg/rke/...", "./pkg/rke2/..."}
	}
	var err error
	o.root, err = filepath.Abs(o.root)
	return o, err
}
