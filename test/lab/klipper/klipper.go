package klipper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/storage/driver"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

const (
	policyReinstall = "reinstall"

	// pathConfig and pathChart are the folders of the Job's values and chart.
	pathConfig = "/config"
	pathChart  = "/chart"
)

// run is one run of the Job's program.
type run struct {
	env     map[string]string
	options helmOptions
	out     io.Writer
	volumes string
	cfg     *action.Configuration
}

// Run does what the image rancher/klipper-helm does with the arguments and the
// environment of its container. KUBECONFIG names the file that a process without a container uses
// instead of the pod's service account. LAB_VOLUMES names the folder that has its volumes, each at
// its mount path.
// The image's output to /dev/termination-log goes to that path under LAB_VOLUMES. An error
// makes the container fail. Source: k3s-io/klipper-helm:entry@v0.8.0-build20230510.
func Run(ctx context.Context, args []string, env []string, stdout io.Writer) error {
	k := &run{env: map[string]string{}, out: stdout}
	for _, e := range env {
		if name, value, ok := strings.Cut(e, "="); ok {
			k.env[name] = value
		}
	}
	k.volumes = cmp.Or(k.env["LAB_VOLUMES"], "/")
	for _, name := range []string{"NAME", "TARGET_NAMESPACE"} {
		if k.env[name] == "" {
			return fmt.Errorf("klipper-helm: %s is not set", name)
		}
	}
	if len(args) == 0 {
		return errors.New("klipper-helm: no arguments; wanted install or delete")
	}
	var err error
	if k.options, err = parseOptions(args[1:]); err != nil {
		return fmt.Errorf("klipper-helm: %w", err)
	}
	if k.options.namespace == "" {
		k.options.namespace = k.env["TARGET_NAMESPACE"]
	}
	if t := k.env["TIMEOUT"]; t != "" {
		if k.options.timeout, err = time.ParseDuration(t); err != nil {
			return fmt.Errorf("klipper-helm: TIMEOUT: %w", err)
		}
	}
	if err := k.connect(); err != nil {
		return fmt.Errorf("klipper-helm: %w", err)
	}
	switch args[0] {
	case "delete":
		err = k.uninstall()
	case "install":
		err = k.update(ctx)
	default:
		err = fmt.Errorf("unknown action %q", args[0])
	}
	if err != nil {
		k.say("Error: %v", err)
		return fmt.Errorf("klipper-helm: %w", err)
	}
	return nil
}

func (k *run) connect() error {
	flags := genericclioptions.NewConfigFlags(false)
	path, ns := k.env["KUBECONFIG"], k.env["TARGET_NAMESPACE"]
	flags.KubeConfig, flags.Namespace = &path, &ns
	k.cfg = &action.Configuration{}
	return k.cfg.Init(flags, ns, "secret", func(string, ...any) {})
}

// say writes to the container's log and its termination message.
func (k *run) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...) + "\n"
	_, _ = io.WriteString(k.out, line) // an unwritable log is no failure
	path := filepath.Join(k.volumes, "dev", "termination-log")
	if os.MkdirAll(filepath.Dir(path), 0o755) != nil {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	_, _ = io.WriteString(f, line)
	_ = f.Close()
}

// last returns the newest release of that name in any state, or nil.
func (k *run) last() (*release.Release, error) {
	r, err := k.cfg.Releases.Last(k.env["NAME"])
	if errors.Is(err, driver.ErrReleaseNotFound) {
		return nil, nil
	}
	return r, err
}

// uninstall does not fail if helm does.
func (k *run) uninstall() error {
	r, err := k.last()
	if err != nil {
		return err
	}
	if r == nil {
		k.say("No helm_v3 chart installed; nothing to delete")
		return nil
	}
	k.say("Uninstalling helm_v3 chart")
	if err := k.remove(); err != nil {
		k.say("Error: %v", err)
	}
	return nil
}

func (k *run) remove() error {
	u := action.NewUninstall(k.cfg)
	u.Timeout = k.options.timeout
	_, err := u.Run(k.env["NAME"])
	return err
}

// update installs, upgrades or repairs, by the state of the last release.
func (k *run) update(ctx context.Context) error {
	r, err := k.last()
	if err != nil {
		return err
	}
	if r == nil {
		k.say("Installing helm_v3 chart")
		return k.install(ctx)
	}
	status := r.Info.Status
	if status.IsPending() {
		k.say("Previous helm job was interrupted, updating status from %s to failed", status)
		r.Info.Status = release.StatusFailed
		if err := k.cfg.Releases.Update(r); err != nil {
			return err
		}
		if status == release.StatusPendingUpgrade {
			k.say("Retrying upgrade of %s", k.env["NAME"])
			return k.upgrade(ctx)
		}
		status = release.StatusFailed
	}
	switch status {
	case release.StatusDeployed:
		k.say("Upgrading %s", k.env["NAME"])
		return k.upgrade(ctx)
	case release.StatusFailed, release.StatusUnknown:
		return k.repair(ctx, status)
	default:
		k.say("Installing helm_v3 chart")
		return k.install(ctx)
	}
}

// repair reinstalls a failed release, or leaves it to a person.
func (k *run) repair(ctx context.Context, status release.Status) error {
	policy := k.env["FAILURE_POLICY"]
	if policy == "" {
		policy = policyReinstall
	}
	if policy != policyReinstall {
		return fmt.Errorf("release status is '%s' and failure policy is '%s', not 'reinstall'; waiting for operator intervention", status, policy)
	}
	k.say("Uninstalling %s helm_v3 chart", status)
	if err := k.remove(); err != nil {
		k.say("Error: %v", err)
	}
	k.say("Installing helm_v3 chart")
	return k.install(ctx)
}

// install does not wait until the installed objects run.
func (k *run) install(ctx context.Context) error {
	chart, values, err := k.load()
	if err != nil {
		return err
	}
	i := action.NewInstall(k.cfg)
	i.ReleaseName, i.Namespace, i.CreateNamespace = k.env["NAME"], k.options.namespace, k.options.createNamespace
	i.Timeout, i.Version = k.options.timeout, k.options.version
	_, err = i.RunWithContext(ctx, chart, values)
	return err
}

func (k *run) upgrade(ctx context.Context) error {
	chart, values, err := k.load()
	if err != nil {
		return err
	}
	u := action.NewUpgrade(k.cfg)
	u.Namespace, u.Timeout, u.Version, u.MaxHistory = k.options.namespace, k.options.timeout, k.options.version, 10
	_, err = u.RunWithContext(ctx, k.env["NAME"], chart, values)
	return err
}
