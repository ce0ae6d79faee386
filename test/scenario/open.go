package scenario

import (
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
)

// Open returns a running RKE2 lab in its current state.
func Open(ctx context.Context, bin, dir string, out io.Writer) (*Lab, error) {
	l := &Lab{Bin: bin, Dir: dir, Out: out, Target: []string{"rke2", "--cluster", "demo"}}
	if err := l.connect(); err != nil {
		return nil, err
	}
	return l, l.readEnv(ctx)
}

// Administrator returns the environment of an administrator of the lab's cluster and AWS account.
// kubectl reaches the cluster directly, and AWS allows any change. Nothing of this process's
// environment is in it. The given directories come first in PATH.
func (l *Lab) Administrator(ctx context.Context, path ...string) ([]string, error) {
	text, err := exec.CommandContext(ctx, l.binary("lab"), "env", "--administrator", "--dir", l.Dir).Output()
	if err != nil {
		return nil, err
	}
	path = append(path, filepath.Join(l.Bin, "lab.d"), l.Bin, "/usr/bin", "/bin")
	env := []string{"PATH=" + strings.Join(path, ":"), "KUBECONFIG=" + l.Kubeconfig("downstream")}
	for _, line := range strings.Split(string(text), "\n") {
		name, value, _ := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		if strings.HasPrefix(name, "AWS_") && name != "AWS_REGION" { // commands name their region
			env = append(env, name+"="+strings.Trim(value, "'"))
		}
	}
	return env, nil
}
