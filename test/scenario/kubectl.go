package scenario

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/runner/archive"
)

// Kubectl runs kubectl against the downstream cluster with a manifest as standard input, and
// returns its output.
func (l *Lab) Kubectl(ctx context.Context, manifest string, args ...string) (string, error) {
	return l.kubectl(ctx, "downstream", manifest, args)
}

// KubectlManagement runs kubectl against the cluster with Rancher's objects.
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

// Shell runs a printed command line with one of the lab's kubeconfigs.
func (l *Lab) Shell(ctx context.Context, out io.Writer, kubeconfig, line string) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Env = append(append([]string{}, l.env...), "KUBECONFIG="+l.Kubeconfig(kubeconfig))
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("sh -c %s: %w", line, err)
	}
	return nil
}

// Objects returns the names of the objects that a migration may leave in the downstream cluster:
// those of the cloud controller manager, of Helm and of awsmigrate. The journal, the records of
// runs and the lock do not count.
func (l *Lab) Objects(ctx context.Context) ([]string, error) {
	out, err := l.Kubectl(ctx, "", "-n", "kube-system", "get", "-o", "name",
		"configmaps,secrets,serviceaccounts,roles,rolebindings,daemonsets,deployments,jobs,leases,clusterroles,clusterrolebindings")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range strings.Fields(out) {
		_, short, _ := strings.Cut(name, "/")
		if short != recordName && short != archive.Name(clusterName) && touched.MatchString(short) {
			names = append(names, name)
		}
	}
	return names, nil
}

var touched = regexp.MustCompile(`awsmigrate|cloud-controller|cloud-provider|extension-apiserver|helm`)
