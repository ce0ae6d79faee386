// Command rkeplan prints the containers that rke v1.5.9 would run. It reads a state file that
// `rke up --init` wrote, and passes its desired configuration to rke's own GeneratePlan, as
// `rke up` does after it has reached the hosts.
//
// It omits what rke reads from a host, Docker's version and its operating system (Linux here),
// and the checks and deployments around the plan.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/docker/docker/api/types"
	"github.com/rancher/rke/cluster"
	"github.com/sirupsen/logrus"
)

// host is one machine: the whole command of each container, by its name, and the deployed cloud
// config.
type host struct {
	Address     string
	Processes   map[string][]string
	CloudConfig string
}

func main() {
	logrus.SetOutput(io.Discard)
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: rkeplan NAME.rkestate")
		os.Exit(2)
	}
	if err := plan(os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func plan(path string, out io.Writer) error {
	ctx := context.Background()
	state, err := cluster.ReadStateFile(ctx, path)
	if err != nil {
		return err
	}
	config := state.DesiredState.RancherKubernetesEngineConfig
	if config == nil {
		return fmt.Errorf("%s: no desired configuration", path)
	}
	infos := map[string]types.Info{}
	for _, node := range config.Nodes {
		infos[node.Address] = types.Info{OSType: "linux", DockerRootDir: "/var/lib/docker"}
	}
	made, err := cluster.GeneratePlan(ctx, config, infos, nil)
	if err != nil {
		return err
	}
	hosts := make([]host, 0, len(made.Nodes))
	for _, node := range made.Nodes {
		h := host{Address: node.Address, Processes: map[string][]string{}}
		for name, process := range node.Processes {
			h.Processes[name] = append(append([]string{}, process.Command...), process.Args...)
		}
		for _, file := range node.Files {
			if file.Name != "/etc/kubernetes/cloud-config" {
				continue
			}
			text, err := base64.StdEncoding.DecodeString(file.Contents)
			if err != nil {
				return fmt.Errorf("%s of %s: %w", file.Name, node.Address, err)
			}
			h.CloudConfig = string(text)
		}
		hosts = append(hosts, h)
	}
	return json.NewEncoder(out).Encode(hosts)
}
