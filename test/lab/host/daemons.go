package host

import (
	"fmt"
	"path/filepath"
)

const (
	searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	cniPlugins = "/usr/lib/cni"
	// cgroup is the parent of all containers in every hierarchy.
	cgroup = "/awsmigrate-lab"

	dockerSocket         = "/run/docker.sock"
	containerdSocket     = "/run/containerd/containerd.sock"
	rke2ContainerdSocket = "/run/k3s/containerd/containerd.sock"
	containerdConfig     = "/etc/containerd/config.toml"
	sshConfig            = "/etc/ssh/lab_sshd_config"
)

// daemon is a program that runs as long as the host.
type daemon struct {
	name string
	args []string
}

// daemons returns the host's programs in the order of their start. Each finds the others at their
// usual addresses.
func (m Machine) daemons() []daemon {
	containerd := daemon{"containerd", []string{"--config", containerdConfig}}
	if m.RKE2 {
		return []daemon{containerd}
	}
	return []daemon{
		{"sshd", []string{"-D", "-e", "-f", sshConfig}},
		containerd,
		{"dockerd", []string{
			"--data-root=/var/lib/docker", "--exec-root=/run/docker", "--pidfile=/run/docker.pid", "--containerd=" + containerdSocket,
			"--host=unix://" + dockerSocket,
			"--add-runtime=lab=" + m.runc(), "--default-runtime=lab", "--cgroup-parent=" + cgroup, "--exec-opt=native.cgroupdriver=cgroupfs",
			"--storage-driver=overlay2", "--log-level=warn", "--bip=" + m.bridge(),
		}},
	}
}

// runc returns the path of the lab's wrapper; its name selects the program.
func (m Machine) runc() string { return m.in("bin", "runc") }

// files returns the host's configuration by path.
func (m Machine) files() map[string]string {
	out := map[string]string{
		"/etc/hostname":                  m.Hostname + "\n",
		containerdConfig:                 m.containerdConfiguration(),
		"/etc/cni/net.d/10-lab.conflist": m.podNetworkConfiguration(),
	}
	if m.RKE2 {
		out["/etc/hosts"] = namesOfAWS()
		out[rootsFile] = m.Roots
	} else {
		out[sshConfig] = m.sshConfiguration()
	}
	return out
}

// socket returns the address of containerd.
func (m Machine) socket() string {
	if m.RKE2 {
		return rke2ContainerdSocket
	}
	return containerdSocket
}

func (m Machine) sshConfiguration() string {
	return fmt.Sprintf(`ListenAddress %s:22
HostKey %s
AuthorizedKeysFile %s
PermitRootLogin yes
PasswordAuthentication no
StrictModes no
UsePAM no
PidFile none
MaxStartups 200
MaxSessions 200
`, m.Address, filepath.Join(m.Dir, hostKey), filepath.Join(m.Dir, userKey+".pub"))
}

func (m Machine) containerdConfiguration() string {
	return fmt.Sprintf(`version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs"]

[grpc]
  address = "%s"

[plugins."io.containerd.grpc.v1.cri"]
  restrict_oom_score_adj = true
  sandbox_image = "%s"
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
  [plugins."io.containerd.grpc.v1.cri".cni]
    conf_dir = "/etc/cni/net.d"
    bin_dir = "%s"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      BinaryName = "%s"
`, m.socket(), pauseImage, cniPlugins, m.runc())
}

func (m Machine) podNetworkConfiguration() string {
	return fmt.Sprintf(`{"cniVersion": "0.4.0", "name": "lab", "plugins": [
  {"type": "ptp", "ipam": {"type": "host-local", "ranges": [[{"subnet": "%s"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}
]}
`, m.podNetwork())
}
