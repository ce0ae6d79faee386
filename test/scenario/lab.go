package scenario

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Lab is a booted lab with its clients.
type Lab struct {
	Bin string // folder with the binaries awsmigrate and lab
	Dir string
	Out io.Writer // the lab's output while it boots
	// Downstream is the migrated cluster, Management the one with Rancher's objects. Both are
	// reached directly, not through Rancher's proxy.
	Downstream kubernetes.Interface
	Management dynamic.Interface
	Config     *rest.Config // of Downstream
	// Target holds awsmigrate's words for the lab's cluster, the command first.
	Target []string
	// ClusterFile is the cluster.yml of a lab made by rke; empty for others.
	ClusterFile string
	// Fixed reports that machines can neither join nor leave.
	Fixed bool
	// Natural makes the commands hand over with the switch, unless their flags say when.
	Natural bool
	env     []string
}

// Boot starts a lab in a folder and waits until it is ready.
func Boot(ctx context.Context, bin, dir string, out io.Writer, flags ...string) (*Lab, error) {
	l := &Lab{Bin: bin, Dir: dir, Out: out}
	if err := l.run(ctx, append([]string{"up"}, flags...)...); err != nil {
		return nil, fmt.Errorf("boot the lab in %s: %w", dir, err)
	}
	l.Target = []string{"rke2", "--cluster", "demo"}
	switch file := filepath.Join(dir, "cluster.yml"); distro(flags) {
	case "rke":
		l.ClusterFile, l.Target, l.Fixed = file, []string{"rke", "--config", file}, true
	case "rke1":
		l.Target, l.Fixed = []string{"rke", "--cluster", "demo"}, true
	}
	if err := l.connect(); err != nil {
		return nil, err
	}
	return l, l.readEnv(ctx)
}

// distro returns the distribution in the flags of `lab up`; empty means RKE2.
func distro(flags []string) string {
	if i := slices.Index(flags, "--distro"); i >= 0 && i+1 < len(flags) {
		return flags[i+1]
	}
	return ""
}

func (l *Lab) connect() error {
	downstream, err := clientcmd.BuildConfigFromFlags("", l.Kubeconfig("downstream"))
	if err != nil {
		return err
	}
	downstream.QPS, downstream.Burst = 100, 200
	l.Config = downstream
	if l.Downstream, err = kubernetes.NewForConfig(downstream); err != nil || l.ClusterFile != "" {
		return err
	}
	management, err := clientcmd.BuildConfigFromFlags("", l.Kubeconfig("management"))
	if err != nil {
		return err
	}
	l.Management, err = dynamic.NewForConfig(management)
	return err
}

// readEnv sets the variables that `lab env` prints, as a shell's eval would.
func (l *Lab) readEnv(ctx context.Context) error {
	text, err := exec.CommandContext(ctx, l.binary("lab"), "env", "--dir", l.Dir).Output()
	if err != nil {
		return fmt.Errorf("lab env: %w", err)
	}
	l.env = os.Environ()
	for _, line := range strings.Split(string(text), "\n") {
		line, exported := strings.CutPrefix(strings.TrimSpace(line), "export ")
		if name, value, ok := strings.Cut(line, "="); exported && ok {
			l.env = append(l.env, name+"="+strings.Trim(os.Expand(value, os.Getenv), `"'`))
		}
	}
	return nil
}

// Kubeconfig returns the path of one of the lab's kubeconfigs.
func (l *Lab) Kubeconfig(name string) string {
	return filepath.Join(l.Dir, "kubeconfig", name+".yaml")
}

func (l *Lab) binary(name string) string { return filepath.Join(l.Bin, name) }

// run runs a command of the lab.
func (l *Lab) run(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, l.binary("lab"), append(args, "--dir", l.Dir)...)
	cmd.Stdout, cmd.Stderr = l.Out, l.Out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("lab %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// Command returns a command line of awsmigrate for this lab: "plan", or "" for the run. A command
// without questions gets the flag for a Cluster object without an owner, unless flags set it.
func (l *Lab) Command(name string, flags ...string) []string {
	words := []string{l.Target[0]}
	if name != "" {
		words = append(words, name)
	}
	words = append(append(words, l.Target[1:]...), flags...)
	unattended := slices.Contains(flags, "--yes") || slices.Contains(flags, "--plan")
	if unattended && l.Target[0] == "rke2" && !slices.Contains(flags, "--edits") {
		words = append(words, "--edits", "apply")
	}
	if l.Natural && !slices.Contains(flags, "--hand-over") {
		words = append(words, "--hand-over", "natural")
	}
	return words
}

// Lab runs a command of the lab, e.g. "scale", "workers", "4".
func (l *Lab) Lab(ctx context.Context, args ...string) error { return l.run(ctx, args...) }

// Down ends the lab.
func (l *Lab) Down(ctx context.Context) error { return l.run(ctx, "down") }
