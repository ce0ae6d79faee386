package scenario

import (
	"context"
	"fmt"
	"os"
)

// world is what others do while a cluster is migrated.
type world struct {
	lab      *Lab
	hostname string   // of a Service that was created meanwhile
	told     []string // what became of machines, for people
}

// goesOn creates a Service and, where a pool can grow, a worker.
func (w *world) goesOn(ctx context.Context) error {
	if err := w.lab.LoadBalancer(ctx, "during"); err != nil {
		return err
	}
	var err error
	if w.lab.Fixed {
		w.hostname, err = w.lab.WaitHostname(ctx, "during")
		return err
	}
	node, err := w.lab.Grow(ctx, "workers", 4)
	if err != nil {
		return err
	}
	if w.hostname, err = w.lab.WaitHostname(ctx, "during"); err != nil {
		return err
	}
	w.told = append(w.told, fmt.Sprintf("new worker    %s lost its taint and became a target of the new Service", node.Name))
	return w.lab.WaitTarget(ctx, instanceOf(node.Spec.ProviderID), true, w.hostname)
}

// shrinks takes the worker away again.
func (w *world) shrinks(ctx context.Context, old string) error {
	if w.lab.Fixed {
		return nil
	}
	left, err := w.lab.Shrink(ctx, "workers", 3, w.hostname, old)
	w.told = append(w.told, fmt.Sprintf("left worker   %s was deregistered from both", left))
	return err
}

func (l *Lab) readClusterFile() (string, error) {
	if l.ClusterFile == "" {
		return "", nil
	}
	text, err := os.ReadFile(l.ClusterFile)
	return string(text), err
}
