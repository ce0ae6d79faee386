package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/test/lab/klipper"
)

// klipperCommand is the program of the helm controller's Jobs; a machine's agent runs it for
// their image.
func klipperCommand() *cobra.Command {
	return &cobra.Command{
		Use: "klipper-helm", Hidden: true, DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return klipper.Run(cmd.Context(), args, os.Environ(), cmd.OutOrStdout())
		},
	}
}
