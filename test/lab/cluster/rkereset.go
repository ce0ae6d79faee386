package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/dynamic"

	"github.com/awsmigrate/awsmigrate/test/lab/rke"
)

// rkeFiles returns rke's files on the machine that it runs on.
func (f Files) rkeFiles() []string {
	return []string{f.ClusterFile(), rke.StateFile(f.ClusterFile()), rke.KubeconfigFile(f.ClusterFile())}
}

// rememberRKE takes the baseline of a cluster of rke.
func (l *Lab) rememberRKE(ctx context.Context) error {
	objects, err := dynamic.NewForConfig(l.downstream)
	if err != nil {
		return err
	}
	l.baseline = baseline{files: map[string][]byte{}, names: map[string]bool{}}
	for _, file := range l.files.rkeFiles() {
		if l.baseline.files[file], err = os.ReadFile(file); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(l.files.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		l.baseline.names[e.Name()] = true
	}
	l.baseline.downstream, err = takeInventory(ctx, l.down.Discovery(), objects, nil)
	return err
}

// resetRKE returns the steps of a reset of a cluster of rke. rke itself does the rollback, from
// the machines' current state to the original cluster.yml.
func (l *Lab) resetRKE() []resetStep {
	return []resetStep{
		{"AWS and machines", l.resetMachines},
		{"machines and API", l.waitNodes},
		{"new objects", func(ctx context.Context) (err error) { l.baseline.removed, err = l.removeNew(ctx); return err }},
		{"cluster.yml", l.resetFiles},
		{"rke up", l.rkeUp},
		{"Nodes", l.resetNodes},
		{"Leases", l.resetLeases},
		{"pods of cloud controller managers", l.waitPodsGone},
		{"Service default/web", l.seed},
		{"machines and Nodes", l.waitNodes},
		{"load balancer", l.waitService},
		{"controllers", l.waitLeader},
	}
}

// resetFiles restores rke's files and removes new files next to them.
func (l *Lab) resetFiles(context.Context) error {
	entries, err := os.ReadDir(l.files.Dir)
	errs := []error{err}
	for _, e := range entries {
		beside := strings.Contains(e.Name(), "cluster.yml") || strings.Contains(e.Name(), "cluster.rkestate")
		if beside && !l.baseline.names[e.Name()] {
			errs = append(errs, os.RemoveAll(filepath.Join(l.files.Dir, e.Name())))
		}
	}
	for file, content := range l.baseline.files {
		errs = append(errs, os.WriteFile(file, content, 0o600))
	}
	errs = append(errs, os.Chmod(l.files.ClusterFile(), 0o644))
	return errors.Join(errs...)
}

// resetStep is one step of a reset.
type resetStep struct {
	name string
	run  func(context.Context) error
}

// runSteps runs the steps of a reset, and names the failed one.
func (l *Lab) runSteps(ctx context.Context, steps []resetStep) (failed string, err error) {
	for _, step := range steps {
		l.state.set(PhaseReset, step.name, time.Now())
		if err := step.run(ctx); err != nil {
			return step.name, err
		}
	}
	return "", nil
}
