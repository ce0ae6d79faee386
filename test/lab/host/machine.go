package host

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Machine describes a host. The host's first process reads it from a file.
type Machine struct {
	Name     string `json:"name"`     // of its processes, e.g. "demo-cp-0"
	Hostname string `json:"hostname"` // of its operating system
	Address  string `json:"address"`  // its private IPv4 address
	Index    int    `json:"index"`    // from 0; selects the networks of its pods and containers
	Dir      string `json:"dir"`      // the lab's folder, which the host sees at the same path
	Binaries string `json:"binaries"` // folder of the lab's programs
	RKE2     bool   `json:"rke2"`     // containerd at RKE2's address, and neither Docker nor SSH
	Roots    string `json:"roots"`    // RKE2: the authority of AWS's certificate, as PEM
}

// The networks of the lab: hosts on the VPC's, pods and Docker's bridge on one of their own for
// each host.
const (
	Gateway = "10.0.0.1" // the bridge, as the router of a VPC's first subnet
	network = "10.0.0.0/16"
	prefix  = "/16"
)

func (m Machine) podNetwork() string { return fmt.Sprintf("10.42.%d.0/24", m.Index) }
func (m Machine) bridge() string     { return fmt.Sprintf("172.31.%d.1/24", m.Index) }

func (m Machine) in(path ...string) string {
	return filepath.Join(append([]string{m.Dir, "nodes", m.Name}, path...)...)
}

// sharedPaths are the folders of the host that the lab's stand-in of RKE2 writes and reads from
// outside, each below Shared.
func (m Machine) sharedPaths() []string {
	if !m.RKE2 {
		return nil
	}
	return []string{"/var/lib/rancher", "/etc/rancher"}
}

// shared returns where a shared path is outside of the host.
func (m Machine) shared(path string) string { return m.in("fs", path) }

// kubelet returns the path of a link to the kubelet, whose name the kernel shows.
func (m Machine) kubelet() string { return m.in("bin", "kubelet") }

func (m Machine) file() string { return m.in("host.json") }

// disk is the folder behind the host's images and containers; its root file system is in memory.
func (m Machine) disk(of string) string { return m.in("disk", of) }

func (m Machine) write() error {
	dirs := []string{filepath.Dir(m.runc()), m.disk("docker"), m.disk("containerd")}
	for _, path := range m.sharedPaths() {
		dirs = append(dirs, m.shared(path))
	}
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(m.file(), raw, 0o644)
}

func read(file string) (Machine, error) {
	var m Machine
	raw, err := os.ReadFile(file)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return m, fmt.Errorf("host %s: %w", file, err)
	}
	return m, nil
}

func sorted(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}
