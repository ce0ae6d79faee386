// Command components is etcd, kube-apiserver, kube-controller-manager, kube-scheduler or
// kubectl of Kubernetes 1.26, or RKE2's helm-controller, by the name under which it is started.
// They share one binary because they share nearly all their code. The AWS cloud controller manager
// cannot join them, since two registrations of the provider "aws" in one process are fatal.
//
// It reports the version in LAB_KUBERNETES_VERSION, e.g. v1.27.16+rke2r1, but does not change
// its behaviour: this is how the lab upgrades a cluster.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // the upstream mains register the JSON log format
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // and the client metrics,
	_ "k8s.io/component-base/metrics/prometheus/version"  // and the version metric
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	kcm "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

var commands = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": kcm.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kubectl":                 kubectl.NewDefaultKubectlCommand,
	"helm-controller":         newHelmController,
}

func main() {
	pretend(os.Getenv("LAB_KUBERNETES_VERSION"))
	name := filepath.Base(os.Args[0])
	if name == "etcd" {
		etcdmain.Main(os.Args)
		return
	}
	command, ok := commands[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "no component is called %q: start this binary under the name of one\n", name)
		os.Exit(2)
	}
	os.Exit(cli.Run(command()))
}
