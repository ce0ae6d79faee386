package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
	"github.com/awsmigrate/awsmigrate/test/lab/cluster"
	"github.com/awsmigrate/awsmigrate/test/lab/component"
	"github.com/awsmigrate/awsmigrate/test/lab/container"
	"github.com/awsmigrate/awsmigrate/test/lab/host"
	"github.com/awsmigrate/awsmigrate/test/lab/node"
	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

func open(dir string) (*cluster.Client, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	return cluster.Open(abs)
}

func statusCommand(dir *string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "status", Short: "Show machines, leases, processes and the lab's additions", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := open(*dir)
			if err != nil {
				return err
			}
			status, err := client.Status(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(status)
			}
			return status.Print(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func envCommand(dir *string) *cobra.Command {
	administrator := false
	cmd := &cobra.Command{
		Use: "env", Short: "Print the environment of tools that use the lab, for eval", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := open(*dir)
			if err != nil {
				return err
			}
			binaries, err := component.Dir()
			if err != nil {
				return err
			}
			for _, variable := range client.Env(binaries, administrator) {
				name, value, _ := strings.Cut(variable, "=")
				fmt.Fprintf(cmd.OutOrStdout(), "export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&administrator, "administrator", false, "with credentials that may change resources in AWS")
	return cmd
}

// order returns a command that sends one order to the supervisor.
func order(dir *string, use, short, what string, args int, orderOf func(args []string) (cluster.Order, error)) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(args),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := open(*dir)
			if err != nil {
				return err
			}
			o, err := orderOf(args)
			if err != nil {
				return err
			}
			done, err := client.Do(cmd.Context(), what, o)
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), done)
			return nil
		},
	}
}

func killCommand(dir *string) *cobra.Command {
	var signal string
	cmd := order(dir, "kill PROCESS|KIND@MACHINE", "Send a process a signal, SIGKILL by default", "kill", 1,
		func(args []string) (cluster.Order, error) {
			return cluster.Order{Target: args[0], Signal: signal}, nil
		})
	cmd.Flags().StringVar(&signal, "signal", "KILL", "KILL, TERM, INT, STOP or CONT")
	return cmd
}

func instanceCommand(dir *string) *cobra.Command {
	state := aws.StateStopped
	cmd := order(dir, "stop-instance MACHINE", "Stop (or start, terminate) a machine's EC2 instance", "instance", 1,
		func(args []string) (cluster.Order, error) {
			return cluster.Order{Target: args[0], State: state}, nil
		})
	cmd.Flags().StringVar(&state, "state", state, "the state it gets: stopped, terminated or running")
	return cmd
}

func rancherCommand(dir *string) *cobra.Command {
	return order(dir, "rancher "+cluster.RancherStopped+"|"+cluster.RancherRunning, "Stop or start Rancher", "rancher", 1,
		func(args []string) (cluster.Order, error) { return cluster.Order{State: args[0]}, nil })
}

func containersCommand(dir *string) *cobra.Command {
	return order(dir, "containers MACHINE "+node.ContainersOutlive+"|"+node.ContainersEnd, "Let replaced static pods run on, hidden from the API, or end them", "containers", 2,
		func(args []string) (cluster.Order, error) {
			return cluster.Order{Target: args[0], State: args[1]}, nil
		})
}

func factsCommand(dir *string) *cobra.Command {
	var role, zone, name string
	var flags *pflag.FlagSet
	given := func(flag string, value *string) *string {
		if flags.Changed(flag) {
			return value
		}
		return nil
	}
	cmd := order(dir, "set-instance MACHINE", "Change a machine's instance in EC2", "facts", 1,
		func(args []string) (cluster.Order, error) {
			return cluster.Order{Target: args[0], Role: given("role", &role), Zone: given("zone", &zone), PrivateDNSName: given("private-dns-name", &name)}, nil
		})
	flags = cmd.Flags()
	flags.StringVar(&role, "role", "", "role of its instance profile; without a profile if empty")
	flags.StringVar(&zone, "zone", "", "its availability zone")
	flags.StringVar(&name, "private-dns-name", "", "its private DNS name")
	return cmd
}

func proxyCommand(dir *string) *cobra.Command {
	return order(dir, "proxy open|cut|silent", "Break or restore Rancher's connection to the downstream cluster", "proxy", 1,
		func(args []string) (cluster.Order, error) { return cluster.Order{State: args[0]}, nil })
}

func revokeCommand(dir *string) *cobra.Command {
	return order(dir, "revoke-tokens operator|viewer", "Make Rancher refuse every token that the user has so far", "revoke", 1,
		func(args []string) (cluster.Order, error) { return cluster.Order{Target: args[0]}, nil })
}

func loginCommand(dir *string) *cobra.Command {
	return order(dir, "login operator|viewer", "Write a new token of the user to the kubeconfig", "login", 1,
		func(args []string) (cluster.Order, error) { return cluster.Order{Target: args[0]}, nil })
}

func resetCommand(dir *string) *cobra.Command {
	return order(dir, "reset", "Restore the state of a booted lab after its boot", "reset", 0,
		func([]string) (cluster.Order, error) { return cluster.Order{}, nil })
}

func scaleCommand(dir *string) *cobra.Command {
	return &cobra.Command{
		Use: "scale POOL N", Short: "Set a machine pool's quantity, as a user does", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := open(*dir)
			if err != nil {
				return err
			}
			n, err := strconv.Atoi(args[1])
			if err != nil || n < 0 {
				return fmt.Errorf("quantity %q is no number of machines", args[1])
			}
			return client.Scale(cmd.Context(), args[0], n)
		},
	}
}

func shimCommand() *cobra.Command {
	return &cobra.Command{
		Use: proc.ShimCommand, Hidden: true, DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error { return proc.RunShim(args) },
	}
}

func hostCommand() *cobra.Command {
	return &cobra.Command{
		Use: host.Command + " FILE", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return host.Become(cmd.Context(), args[0]) },
	}
}

func containCommand() *cobra.Command {
	return &cobra.Command{
		Use: container.Command + " FILE", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return container.Become(args[0]) },
	}
}
