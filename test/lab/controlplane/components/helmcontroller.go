package main

import (
	"context"
	"time"

	"github.com/k3s-io/helm-controller/pkg/controllers"
	"github.com/k3s-io/helm-controller/pkg/controllers/common"
	"github.com/k3s-io/helm-controller/pkg/crd"
	wcrd "github.com/rancher/wrangler/pkg/crd"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// newHelmController returns the helm-controller v0.15.9 of RKE2 1.26, for all namespaces and with
// its defaults. As in RKE2's supervisor, it starts once the API server answers
// (k3s-io/k3s:pkg/server/server.go, startOnAPIServerReady).
func newHelmController() *cobra.Command {
	path := ""
	command := &cobra.Command{
		Use: "helm-controller", Args: cobra.NoArgs, SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error { return runHelmController(cmd.Context(), path) },
	}
	command.Flags().StringVar(&path, "kubeconfig", "", "file of the cluster's kubeconfig")
	return command
}

func runHelmController(ctx context.Context, path string) error {
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: path}, &clientcmd.ConfigOverrides{})
	config, err := loader.ClientConfig()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	answers := func() (bool, error) {
		_, err := client.ServerVersion()
		return err == nil, nil
	}
	if err := wait.PollImmediateUntil(time.Second, answers, ctx.Done()); err != nil {
		return err
	}
	if err := wcrd.Create(ctx, config, crd.List()); err != nil {
		return err
	}
	options := common.Options{Threadiness: 2, JobClusterRole: "cluster-admin"}
	if err := controllers.Register(ctx, "", common.Name, loader, options); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}
