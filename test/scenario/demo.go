package scenario

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// Demo boots a lab, migrates it while the world goes on, and shows the evidence.
func Demo(ctx context.Context, bin, dir string, out io.Writer) error {
	say := func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
	say("$ lab up        # etcd, three API servers, in-tree AWS controller managers, and a Rancher around them")
	if err := (&Lab{Bin: bin, Dir: dir, Out: out}).Down(ctx); err != nil { // of the demo before
		return err
	}
	booting := time.Now()
	lab, err := Boot(ctx, bin, dir, out)
	if err != nil {
		return err
	}
	booted := time.Since(booting)
	evidence, err := DemoOn(ctx, lab, out)
	if err == nil {
		say("boot %.0f s, migration %.0f s", booted.Seconds(), evidence.Took.Seconds())
	}
	return err
}

// DemoOn is Demo on a lab that is up.
func DemoOn(ctx context.Context, lab *Lab, out io.Writer) (Evidence, error) {
	say := func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
	maintenance, err := firstWorker(ctx, lab)
	if err != nil {
		return Evidence{}, err
	}
	say("\n$ kubectl cordon %s        # somebody's maintenance, which has to survive", maintenance)
	if err := lab.Cordon(ctx, maintenance, true); err != nil {
		return Evidence{}, err
	}
	say("\n$ awsmigrate rke2 plan --cluster demo")
	if code, _, _, err := lab.Awsmigrate(ctx, out, "rke2", "plan", "--cluster", "demo"); err != nil || code != 0 {
		return Evidence{}, fmt.Errorf("plan exited with %d: %w", code, err)
	}
	say("\n$ awsmigrate rke2 --cluster demo --yes")
	var during string
	var joined string
	migration := Migration{Lab: lab, Out: out, Switching: func(ctx context.Context) error {
		if err := lab.LoadBalancer(ctx, "during"); err != nil {
			return err
		}
		node, err := lab.Grow(ctx, "workers", 4)
		if err != nil {
			return err
		}
		joined = node.Name
		if during, err = lab.WaitHostname(ctx, "during"); err != nil {
			return err
		}
		return lab.WaitTarget(ctx, instanceOf(node.Spec.ProviderID), true, during)
	}}
	evidence, err := migration.Do(ctx)
	if err != nil {
		return evidence, err
	}
	left, err := lab.Shrink(ctx, "workers", 3, during, evidence.Hostname)
	if err != nil {
		return evidence, err
	}
	say("\nWhat stayed, seen from outside")
	say("  Nodes         %d of %d with the same name, UID and ProviderID", evidence.Nodes, evidence.Nodes)
	say("  old Service   %s, unchanged", evidence.Hostname)
	say("  new Service   created during switch-provider, %s", during)
	say("  new worker    %s lost its taint and became a target of the new Service", joined)
	say("  left worker   %s was deregistered from both", left)
	say("  cordons       %s, as before", strings.Join(evidence.Cordoned, ", "))
	say("\n$ lab observe\n%s", evidence.Report)
	return evidence, nil
}

func firstWorker(ctx context.Context, lab *Lab) (string, error) {
	nodes, err := lab.Workers(ctx)
	if err != nil || len(nodes) == 0 {
		return "", fmt.Errorf("find a worker: %d, %w", len(nodes), err)
	}
	return nodes[0], nil
}
