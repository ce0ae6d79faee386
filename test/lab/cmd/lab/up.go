package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/test/lab/cluster"
)

func upCommand(dir *string) *cobra.Command {
	options := cluster.Defaults()
	rkeDefaults := cluster.DefaultsRKE()
	options.RKEVersion = rkeDefaults.RKEVersion
	machines := "stand-in"
	var distro, layout, lease, clusterFile string
	cmd := &cobra.Command{
		Use: "up", Short: "Boot a lab and wait until it is ready", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			options.Layout = cluster.Layout(layout)
			if options.Distro, err = cluster.ParseDistro(distro); err != nil {
				return err
			}
			if options.Real, err = realMachines(machines); err != nil {
				return err
			}
			if options.Real {
				rkeDefaults = cluster.DefaultsReal(cluster.RKE)
			}
			if options.Distro.ByRKE() && !cmd.Flags().Changed("kubernetes-version") {
				options.Version = rkeDefaults.Version
			}
			if !cmd.Flags().Changed("rke-version") {
				options.RKEVersion = rkeDefaults.RKEVersion
			}
			if options.Leases, err = cluster.ParseLeases(lease); err != nil {
				return err
			}
			if clusterFile != "" {
				if options.ClusterPatch, err = os.ReadFile(clusterFile); err != nil {
					return err
				}
			}
			return up(cmd, *dir, options)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&distro, "distro", string(options.Distro), "rke2, managed by Rancher; rke, made by the rke command line; or rke1, made by rke within Rancher")
	flags.StringVar(&machines, "machines", machines, "stand-in; or real, as root: hosts in namespaces with real kubelets, and rke is the real one")
	flags.StringVar(&options.RKEVersion, "rke-version", options.RKEVersion, "rke: release of the rke binary")
	flags.DurationVar(&options.RKERetry, "rke-retry", options.RKERetry, "rke: pause between its attempts; its own 5s if 0")
	flags.StringVar(&options.HostnameOverride, "hostname-override", options.HostnameOverride, "rke: hostname_override of each node; %m is the machine's name, %d its private DNS name")
	flags.BoolVar(&options.AWSBlock, "aws-block", options.AWSBlock, "rke: with an awsCloudProvider that has options; rke1: with the empty one that Rancher's UI leaves")
	flags.StringVar(&layout, "layout", string(options.Layout), "combined, split, all-role, single or custom")
	flags.IntVar(&options.Nodes, "nodes", options.Nodes, "number of additional Nodes that only send heartbeats")
	flags.IntVar(&options.ControlPlanes, "control-planes", options.ControlPlanes, "control-plane machines; the layout's own if negative")
	flags.IntVar(&options.Workers, "workers", options.Workers, "worker machines; the layout's own if negative")
	flags.StringVar(&options.Version, "kubernetes-version", options.Version, "as Rancher or rke writes it; by default one of the distribution's 1.26")
	flags.StringVar(&options.Rancher, "rancher-version", options.Rancher, "rke2: version of Rancher, whose metadata must have the release")
	flags.StringVar(&options.IMDS, "imds", options.IMDS, "metadata tokens: optional or required")
	flags.BoolVar(&options.ExplicitNodeNames, "explicit-node-names", options.ExplicitNodeNames, "put the node name into machine plans")
	flags.StringVar(&options.OSHostname, "os-hostname", options.OSHostname, "output of `hostname`, which no API shows; %m is the node driver's name of the machine, %d its private DNS name")
	flags.StringVar(&options.HostnameF, "hostname-f", options.HostnameF, "output of `hostname -f`; %m is the node driver's name of the machine, %d its private DNS name")
	flags.StringVar(&clusterFile, "cluster-file", "", "YAML merged over the Cluster object; rke: all of cluster.yml after its nodes")
	flags.DurationVar(&options.APIServerDown, "api-restart", options.APIServerDown, "downtime of a changed kube-apiserver")
	flags.DurationVar(&options.ComponentDown, "component-restart", options.ComponentDown, "the same for other components")
	flags.DurationVar(&options.ProbePeriod, "probe-period", options.ProbePeriod, "period of the probes of a machine's plan, 5s for a real agent")
	flags.StringToStringVar(&options.PodImages, "pod-image", nil, "IMAGE=PROGRAM: the management cluster runs Jobs and Deployments, whose pods of that image are processes of that program; of a folder, with rootfs and config.json of the image in it, are containers of that (repeatable)")
	flags.DurationVar(&options.TokenLifetime, "pod-token-lifetime", 0, "lifetime of the tokens of these pods, at least 10m; as requested if 0")
	flags.StringVar(&lease, "lease", "", "lease/renew deadline/retry period, e.g. 6s/4s/1s; the components' own if empty")
	flags.IntVar(&options.Number, "number", options.Number, "second byte of the lab's addresses; the first free one if 0")
	return cmd
}

// realMachines parses --machines.
func realMachines(text string) (bool, error) {
	switch text {
	case "stand-in":
		return false, nil
	case "real":
		return true, nil
	}
	return false, fmt.Errorf("--machines %q is neither stand-in nor real", text)
}

func up(cmd *cobra.Command, dir string, options cluster.Options) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	began := time.Now()
	client, err := cluster.Up(cmd.Context(), dir, []string{self}, options, func(seen string) {
		fmt.Fprintf(cmd.ErrOrStderr(), "%5.1f s  %s\n", time.Since(began).Seconds(), seen)
	})
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "The lab in %s is ready after %.0f s. Kubeconfigs:\n", dir, time.Since(began).Seconds())
	for _, name := range cluster.Kubeconfigs(options) {
		fmt.Fprintf(out, "  %s\n", client.Files.Kubeconfig(name))
	}
	if options.Distro == cluster.RKE {
		fmt.Fprintf(out, "Configuration of rke:\n  %s\n", client.Files.ClusterFile())
	}
	fmt.Fprintf(out, "Next: eval \"$(%s env --dir %s)\"\n", os.Args[0], dir)
	return nil
}

func serveCommand(dir *string) *cobra.Command {
	return &cobra.Command{
		Use: "serve", Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			options, err := cluster.ReadOptions(*dir)
			if err != nil {
				return err
			}
			log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
			return cluster.Serve(cmd.Context(), *dir, options, log)
		},
	}
}

func downCommand(dir *string) *cobra.Command {
	return &cobra.Command{
		Use: "down", Short: "End the lab; its records stay", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			abs, err := filepath.Abs(*dir)
			if err != nil {
				return err
			}
			return cluster.Down(cmd.Context(), abs)
		},
	}
}
