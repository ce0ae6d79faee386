package scenario

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/textdiff"
)

// Demo boots a lab, migrates it while other events go on, and shows the evidence. flags belong to
// the lab, words to the migration.
func Demo(ctx context.Context, bin, dir string, out io.Writer, flags []string, words ...string) error {
	lab, booted, err := bootDemo(ctx, bin, dir, out, flags...)
	if err != nil {
		return err
	}
	evidence, err := DemoOn(ctx, lab, out, words)
	if err == nil {
		fmt.Fprintf(out, "boot %.0f s, migration %.0f s\n", booted.Seconds(), evidence.Took.Seconds())
	}
	return err
}

// bootDemo ends the lab of the previous demo, and boots a new one.
func bootDemo(ctx context.Context, bin, dir string, out io.Writer, flags ...string) (*Lab, time.Duration, error) {
	fmt.Fprintf(out, "$ lab up %s       # etcd, three API servers, in-tree AWS controller managers, and what manages them\n", strings.Join(flags, " "))
	if err := (&Lab{Bin: bin, Dir: dir, Out: out}).Down(ctx); err != nil {
		return nil, 0, err
	}
	booting := time.Now()
	lab, err := Boot(ctx, bin, dir, out, flags...)
	return lab, time.Since(booting), err
}

// DemoOn runs Demo on a booted lab. more has additional words for the run alone.
func DemoOn(ctx context.Context, lab *Lab, out io.Writer, words []string, more ...string) (Evidence, error) {
	args := slices.Concat(words, more)
	say := func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
	maintenance, err := firstWorker(ctx, lab)
	if err != nil {
		return Evidence{}, err
	}
	say("\n$ kubectl cordon %s        # a maintenance of the user's, which must survive", maintenance)
	if err := lab.Cordon(ctx, maintenance, true); err != nil {
		return Evidence{}, err
	}
	plan := lab.Command("plan", words...)
	say("\n$ awsmigrate %s", strings.Join(plan, " "))
	if code, _, _, err := lab.Awsmigrate(ctx, out, plan...); err != nil || code != 0 {
		return Evidence{}, fmt.Errorf("plan exited with %d: %w", code, err)
	}
	file, err := lab.readClusterFile()
	if err != nil {
		return Evidence{}, err
	}
	say("\n$ awsmigrate %s", strings.Join(lab.Command("", append([]string{"--yes"}, args...)...), " "))
	world := &world{lab: lab}
	evidence, err := Migration{Lab: lab, Out: out, Args: args, Switching: world.grow}.Do(ctx)
	if err != nil {
		return evidence, err
	}
	if err := world.shrink(ctx, evidence.Hostname); err != nil {
		return evidence, err
	}
	evidence.printStayed(out, world)
	if lab.ClusterFile != "" {
		if evidence.ClusterFile, err = lab.readClusterFile(); err != nil {
			return evidence, err
		}
		say("\n$ diff of cluster.yml, before and after\n%s", textdiff.Unified("cluster.yml", file, evidence.ClusterFile))
	}
	say("\n$ lab observe\n%s", evidence.Report)
	return evidence, nil
}

// printStayed prints the parts that are unchanged, and those added meanwhile.
func (e Evidence) printStayed(out io.Writer, world *world) {
	say := func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
	say("\nWhat stayed, seen from outside")
	say("  Nodes         %d of %d with the same name, UID and ProviderID", e.Nodes, e.Nodes)
	say("  old Service   %s, unchanged", e.Hostname)
	say("  new Service   created during switch-provider, %s", world.hostname)
	for _, line := range world.changes {
		say("  %s", line)
	}
	say("  cordons       %s, as before", strings.Join(e.Cordoned, ", "))
}

func firstWorker(ctx context.Context, lab *Lab) (string, error) {
	nodes, err := lab.Workers(ctx)
	if err != nil || len(nodes) == 0 {
		return "", fmt.Errorf("find a worker: %d, %w", len(nodes), err)
	}
	return nodes[0], nil
}
