package scenario

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Refusal is a command that must stop with an exit code and a text.
type Refusal struct {
	Name       string
	Args       []string
	Kubeconfig string // one of the lab's, "rancher" if empty
	Code       int
	Says       []string // parts of stdout or stderr
}

// Check runs the command and returns an error if it ends otherwise.
func (r Refusal) Check(ctx context.Context, l *Lab, out io.Writer) error {
	as := r.Kubeconfig
	if as == "" {
		as = "rancher"
	}
	code, stdout, stderr, err := l.AwsmigrateAs(ctx, as, out, r.Args...)
	if err != nil {
		return err
	}
	if code != r.Code {
		return fmt.Errorf("awsmigrate %s: exit %d, wanted %d\n%s%s", strings.Join(r.Args, " "), code, r.Code, stdout, stderr)
	}
	for _, part := range r.Says {
		if !strings.Contains(stdout+stderr, part) {
			return fmt.Errorf("awsmigrate %s does not say %q:\n%s%s", strings.Join(r.Args, " "), part, stdout, stderr)
		}
	}
	return nil
}

var serverLine = regexp.MustCompile(`(?m)^(\s*server:).*$`)

// DeadKubeconfig writes one of the lab's kubeconfigs with an unused address, and returns its path.
func (l *Lab) DeadKubeconfig(dir string) (string, error) {
	text, err := os.ReadFile(l.Kubeconfig("rancher"))
	if err != nil {
		return "", err
	}
	dead := serverLine.ReplaceAll(text, []byte("$1 https://127.0.0.1:1/k8s/clusters/local"))
	path := filepath.Join(dir, "dead.yaml")
	return path, os.WriteFile(path, dead, 0o600)
}
