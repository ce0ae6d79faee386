// Command lab runs the lab: a Kubernetes 1.26 cluster with the in-tree AWS provider
// on one machine, managed by Rancher or made by rke, for tests and for trying
// things out.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// exitError ends the command with an exit code, silently if it has no error.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code := 0
	if err := root().ExecuteContext(ctx); err != nil {
		code = 1
		var exit *exitError
		if errors.As(err, &exit) {
			code, err = exit.code, exit.err
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "lab: %v\n", err)
		}
	}
	os.Exit(code)
}

func root() *cobra.Command {
	dir := ".lab"
	cmd := &cobra.Command{
		Use: "lab", Short: "A Rancher-managed cluster with the in-tree AWS provider, on this machine",
		SilenceUsage: true, SilenceErrors: true,
	}
	cmd.PersistentFlags().StringVar(&dir, "dir", dir, "the lab's folder")
	cmd.AddCommand(
		upCommand(&dir), downCommand(&dir), statusCommand(&dir), envCommand(&dir), scaleCommand(&dir),
		killCommand(&dir), instanceCommand(&dir), containersCommand(&dir), factsCommand(&dir), rancherCommand(&dir), callsCommand(&dir), observeCommand(&dir), resetCommand(&dir),
		proxyCommand(&dir), revokeCommand(&dir), loginCommand(&dir),
		serveCommand(&dir), hostCommand(), klipperCommand(), shimCommand(), containCommand(), rkeCommand(),
	)
	return cmd
}
