package realkubelet

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	containerdRoot   = Place + "/containerd/root"
	containerdState  = Place + "/containerd/state"
	containerdSocket = Place + "/containerd.sock"
)

// containerdConfig sets restrict_oom_score_adj, without which runc fails if CAP_SYS_RESOURCE is
// missing. It has a network configuration, without which the Node is never Ready. No pod asks for
// a network, so the network's type does not exist.
const containerdConfig = `version = 2
root = "` + containerdRoot + `"
state = "` + containerdState + `"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs"]

[grpc]
  address = "` + containerdSocket + `"

[plugins."io.containerd.grpc.v1.cri"]
  restrict_oom_score_adj = true
  sandbox_image = "` + imageName + `"
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
  [plugins."io.containerd.grpc.v1.cri".cni]
    conf_dir = "` + Place + `/cni"
    bin_dir = "` + Place + `/cni"
`

const networkConfig = `{"cniVersion": "0.4.0", "name": "none", "type": "none"}`

// containerd is the container runtime with separate folders.
type containerd struct {
	program
	image string // the archive to import after each start from nothing
}

func newContainerd(image, logs string) (*containerd, error) {
	path, err := exec.LookPath("containerd")
	if err != nil {
		return nil, fmt.Errorf("find containerd: %w; apt-get install containerd", err)
	}
	config := Place + "/containerd.toml"
	for name, content := range map[string]string{config: containerdConfig, Place + "/cni/10-none.conf": networkConfig} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, fmt.Errorf("make the folder of %s: %w", name, err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			return nil, fmt.Errorf("write %s: %w", name, err)
		}
	}
	return &containerd{program: program{path: path, args: []string{"--config", config}, log: filepath.Join(logs, "containerd.log")}, image: image}, nil
}

// up starts containerd, waits until it answers, and imports the image.
func (c *containerd) up(ctx context.Context) error {
	if err := c.start(); err != nil {
		return err
	}
	if err := Until(ctx, "containerd to answer", func() (bool, error) {
		_, err := c.ctr(ctx, "version")
		return err == nil, err
	}); err != nil {
		return err
	}
	_, err := c.ctr(ctx, "images", "import", c.image)
	return err
}

// remove removes an ended container, as a person would.
func (c *containerd) remove(ctx context.Context, id string) error {
	if _, err := c.ctr(ctx, "tasks", "delete", "--force", id); err != nil && !strings.Contains(err.Error(), "not found") {
		return err
	}
	_, err := c.ctr(ctx, "containers", "delete", id)
	return err
}

// ctr runs containerd's command line in the namespace of Kubernetes.
func (c *containerd) ctr(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "ctr", append([]string{"--address", containerdSocket, "--namespace", "k8s.io"}, args...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("ctr %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}
