// Command awsmigrate moves Rancher clusters from the in-tree AWS cloud provider
// to the external cloud controller manager.
package main

import (
	"context"
	"log/slog"
	"os"
	_ "time/tzdata" // for maintenance windows: the image has no zones

	"k8s.io/klog/v2"

	"github.com/awsmigrate/awsmigrate/internal/cli"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
)

func main() {
	klog.SetSlogLogger(slog.New(slog.DiscardHandler)) // client-go returns the errors that it logs; the controller sets another
	os.Exit(cli.MainAs(context.Background(), os.Args[0], os.Args[1:], console.SystemStreams()))
}
