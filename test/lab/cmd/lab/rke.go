package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/test/lab/rke"
)

// rkeVersionVariable names the simulated release.
const rkeVersionVariable = "LAB_RKE_VERSION"

// rkeCommand is the rke binary of a lab. A signal ends it at once, as it ends the real one.
func rkeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "rke", Hidden: true, DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			signal.Reset(os.Interrupt, syscall.SIGTERM)
			if code := rke.Main(cmd.Context(), rke.Release(os.Getenv(rkeVersionVariable)), args, cmd.OutOrStdout()); code != 0 {
				return &exitError{code: code}
			}
			return nil
		},
	}
}
