package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	metadataHostname = "http://169.254.169.254/latest/meta-data/hostname"
	// criSocket is the path at which rke's kubelet expects cri-dockerd.
	criSocket = "/var/run/cri-dockerd.sock"
	// containerdSocket belongs to the machine's containerd, which serves pods here instead.
	containerdSocket = "/run/containerd/containerd.sock"
	maxHostname      = 4 << 10
)

// entrypoint starts a component of rke. Without --hostname-override, kubelet and kube-proxy get
// the name that the metadata service gives.
func entrypoint(args []string) error {
	if len(args) == 0 {
		return errors.New("no component is given")
	}
	component := filepath.Base(args[0])
	if (component == "kubelet" || component == "kube-proxy") && !named(args) {
		name, err := hostname()
		if err != nil {
			return err
		}
		args = append(args, "--hostname-override="+name)
	}
	if component == "kubelet" {
		if err := serveCRI(); err != nil {
			return err
		}
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	return syscall.Exec(path, append(args, additions(component)...), os.Environ())
}

func named(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--hostname-override=") })
}

// hostname asks the metadata service without a token (IMDSv1), and falls back to the host's name.
func hostname() (string, error) {
	client := http.Client{Timeout: 5 * time.Second}
	answer, err := client.Get(metadataHostname) //nolint:noctx // bounded by the client's timeout
	if err != nil {
		return os.Hostname()
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxHostname))
	if err != nil || answer.StatusCode != http.StatusOK {
		return os.Hostname()
	}
	return strings.TrimSpace(string(raw)), nil
}

// serveCRI makes containerd answer at cri-dockerd's address.
func serveCRI() error {
	if err := os.Remove(criSocket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing the old %s: %w", criSocket, err)
	}
	return os.Symlink(containerdSocket, criSocket)
}

// additions returns the arguments that a machine in namespaces needs and a real one does not:
// several kubelets share the kernel's cgroup tree and its table of connections.
func additions(component string) []string {
	switch component {
	case "kubelet":
		return []string{
			"--cgroup-driver=cgroupfs", "--cgroups-per-qos=false", "--enforce-node-allocatable=",
			"--local-storage-capacity-isolation=false", "--fail-swap-on=false",
		}
	case "kube-proxy":
		return []string{"--conntrack-max-per-core=0"}
	}
	return nil
}
