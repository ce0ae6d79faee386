// Command awsmigrate moves Rancher clusters from the in-tree AWS cloud provider
// to the external cloud controller manager.
package main

import (
	"context"
	"os"
	_ "time/tzdata" // for maintenance windows: the image has no zones

	"github.com/awsmigrate/awsmigrate/internal/cli"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
)

func main() {
	os.Exit(cli.MainAs(context.Background(), os.Args[0], os.Args[1:], console.SystemStreams()))
}
