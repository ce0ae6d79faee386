package scenario

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Kubectl runs kubectl against the downstream cluster with a manifest as its
// standard input, and returns what it printed.
func (l *Lab) Kubectl(ctx context.Context, manifest string, args ...string) (string, error) {
	return l.kubectl(ctx, "downstream", manifest, args)
}

// KubectlManagement is Kubectl against the cluster that Rancher's objects are in.
func (l *Lab) KubectlManagement(ctx context.Context, manifest string, args ...string) (string, error) {
	return l.kubectl(ctx, "management", manifest, args)
}

func (l *Lab) kubectl(ctx context.Context, cluster, manifest string, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(l.Bin, "lab.d", "kubectl"), append([]string{"--kubeconfig", l.Kubeconfig(cluster)}, args...)...)
	var out, problem bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(manifest), &out, &problem
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(problem.String()))
	}
	return out.String(), nil
}
