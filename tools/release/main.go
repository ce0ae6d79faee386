// Command release makes the files of a release from a commit, and verifies them. It
// needs Go and git, and neither Docker nor a registry. `make release` runs it.
//
// It is a separate module, so that the product does not require its imports.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	root := newRoot(os.Environ())
	err := root.ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
