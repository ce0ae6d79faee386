// Command demo boots the lab, migrates it with awsmigrate while the world goes
// on, and prints the evidence.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

func main() {
	bin := flag.String("bin", "bin", "folder with awsmigrate and lab")
	dir := flag.String("dir", ".lab", "the lab's folder")
	distro := flag.String("distro", "rke2", "rke2, rke (a cluster.yml) or rke1 (RKE managed by Rancher)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, 30*time.Minute)
	err := run(ctx, *bin, *dir, *distro)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, bin, dir, distro string) error {
	var flags []string
	if distro != "rke2" {
		flags = []string{"--distro", distro}
	}
	err := scenario.Demo(ctx, bin, dir, os.Stdout, flags...)
	fmt.Printf("The lab is still up: %s/lab status --dir %s; end it with %s/lab down --dir %s\n", bin, dir, bin, dir)
	return err
}
