// Command demo boots the lab, migrates it with awsmigrate while other events go on, and prints the
// evidence. With -controller, the controller migrates the lab by a ClusterMigration and undoes it. With
// -fleet, it migrates the lab and simulated clusters by a MigrationRollout.
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
	machines := flag.String("machines", "", "real: hosts in namespaces with real kubelets, for rke2 and rke (default: stand-ins)")
	handOver := flag.String("hand-over", "", "early or natural: when the cloud controllers change hands (default: awsmigrate's)")
	controller := flag.Bool("controller", false, "have the controller migrate an RKE2 lab, and undo it")
	fleet := flag.Bool("fleet", false, "have the controller migrate an RKE2 lab and twenty simulated clusters, in waves")
	charts := flag.String("charts", "../charts", "folder with the controller's charts")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, 30*time.Minute)
	story := func() error { return run(ctx, *bin, *dir, *distro, *machines, *handOver) }
	if *controller {
		story = func() error { return scenario.DemoController(ctx, *bin, *charts, *dir, os.Stdout) }
	}
	if *fleet {
		story = func() error { return scenario.DemoFleet(ctx, *bin, *charts, *dir, os.Stdout) }
	}
	err := story()
	fmt.Printf("The lab is still up: %s/lab status --dir %s; end it with %s/lab down --dir %s\n", *bin, *dir, *bin, *dir)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, bin, dir, distro, machines, handOver string) error {
	var flags []string
	if distro != "rke2" {
		flags = []string{"--distro", distro}
	}
	if machines != "" {
		flags = append(flags, "--machines", machines)
	}
	var words []string
	if handOver != "" {
		words = []string{"--hand-over", handOver}
	}
	return scenario.Demo(ctx, bin, dir, os.Stdout, flags, words...)
}
