package scenario

import (
	"context"
	"fmt"
	"os"
)

// world performs other users' actions during a migration.
type world struct {
	lab      *Lab
	hostname string   // of the Service created meanwhile
	changes  []string // changes of machines, for people
}

// grow creates a Service and, if a pool can grow, a worker.
func (w *world) grow(ctx context.Context) error {
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
	w.changes = append(w.changes, fmt.Sprintf("new worker    %s lost its taint and became a target of the new Service", node.Name))
	return w.lab.WaitTarget(ctx, instanceOf(node.Spec.ProviderID), true, w.hostname)
}

// shrink removes the worker again.
func (w *world) shrink(ctx context.Context, old string) error {
	if w.lab.Fixed {
		return nil
	}
	left, err := w.lab.Shrink(ctx, "workers", 3, w.hostname, old)
	w.changes = append(w.changes, fmt.Sprintf("left worker   %s was deregistered from both", left))
	return err
}

func (l *Lab) readClusterFile() (string, error) {
	if l.ClusterFile == "" {
		return "", nil
	}
	text, err := os.ReadFile(l.ClusterFile)
	return string(text), err
}
