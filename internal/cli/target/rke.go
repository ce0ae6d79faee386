package target

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/ownfile"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// RKE are the flags that every rke command has.
type RKE struct {
	Config                  string // cluster.yml
	cluster                 string
	kubeconfig, kubeContext string
	downstreamKubeconfig    string
	set                     *pflag.FlagSet
	requestTimeout          time.Duration
	migration               migrationFlags
	binary                  string
	args                    []string
	noUp, includePending    bool
}

// Register adds the flags.
func (f *RKE) Register(flags *pflag.FlagSet) {
	f.set = flags
	flags.StringVar(&f.Config, "config", os.Getenv("RKE_CONFIG"), "cluster.yml (default: $RKE_CONFIG); this or --cluster")
	flags.StringVar(&f.cluster, "cluster", "", "RKE cluster that Rancher manages: its id (c-xxxxx) or its name")
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster (default: kube_config_<file> beside cluster.yml); with --cluster: of the cluster Rancher runs in (default: $KUBECONFIG, then ~/.kube/config)")
	flags.StringVar(&f.downstreamKubeconfig, "downstream-kubeconfig", "", "with --cluster: kubeconfig of the cluster to migrate (default: through Rancher)")
	flags.StringVar(&f.kubeContext, "context", "", "context in it")
	flags.DurationVar(&f.requestTimeout, "request-timeout", 30*time.Second, "longest time for one API request")
	flags.StringVar(&f.binary, "rke-binary", "", "rke binary (default: rke in PATH)")
	flags.StringArrayVar(&f.args, "rke-arg", nil, "argument for every rke up, such as --ssh-agent-auth (repeatable)")
	flags.BoolVar(&f.noUp, "no-rke-up", false, "stop after each edit and let a person run rke up")
	flags.BoolVar(&f.includePending, "include-pending", false, "apply other changes of cluster.yml, too")
	f.migration.register(flags, false)
	f.migration.installMethod = string(migration.InstallHelm)
}

// Options are what pkg/rke takes.
func (f *RKE) Options(runID string) (rke.Options, error) {
	if f.cluster != "" && !f.set.Changed("config") {
		f.Config = "" // of the environment
	}
	shared, err := f.migration.options(runID)
	if err != nil {
		return rke.Options{}, err
	}
	o := rke.Options{Options: shared, Config: f.Config, Cluster: f.cluster, RKEBinary: f.binary, RKEArgs: f.args, NoRKEUp: f.noUp, IncludePending: f.includePending}
	return o, o.Validate()
}

// kubeconfigPath is rke's own beside the file, never the current context: that
// may be another cluster's.
func (f *RKE) kubeconfigPath() string {
	if f.kubeconfig != "" {
		return f.kubeconfig
	}
	return filepath.Join(filepath.Dir(f.Config), "kube_config_"+filepath.Base(f.Config))
}

// Open implements Opener.
func (f *RKE) Open(ctx context.Context, out Output, may Access) (*Session, error) {
	f.migration.say = out.Say
	if f.cluster != "" {
		return f.openManaged(ctx, may)
	}
	runID := runner.NewRunID(time.Now())
	options, err := f.Options(runID)
	if err != nil {
		return nil, err
	}
	if f.requestTimeout <= 0 {
		return nil, fault.AsUsage(fmt.Errorf("flag --request-timeout: %s, wanted more than 0", f.requestTimeout))
	}
	// What is wrong with the file is reported even where no cluster can be reached.
	if _, err := clusterfile.Read(f.Config); err != nil {
		return nil, err
	}
	config, err := reach{f.requestTimeout, may}.load(f.kubeconfigPath(), f.kubeContext)
	if err != nil {
		return nil, err
	}
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fault.AsUsage(err)
	}
	lock := &ownfile.Lock{Path: ownfile.LockPath(f.Config), Clock: clock.RealClock{}, Processes: lock.HostProcesses(),
		Say: func(what string) { fmt.Fprintln(out.Err, what) }}
	deps := rke.Deps{Kube: kube, Config: config, Clock: clock.RealClock{}, Live: rkeOutput{out.Err}, LockFile: lock.File}
	procedure, err := newProcedure(ctx, deps, options, lock)
	if err != nil {
		return nil, err
	}
	s := newSession(procedure, kube, runID, f.again())
	lock.Inner, lock.Owner, s.Lock = s.Lock, s.Owner, lock
	return s, nil
}

// newProcedure reads the cluster, again as long as an rke that outlived its
// awsmigrate keeps the API server away.
func newProcedure(ctx context.Context, deps rke.Deps, options rke.Options, lock *ownfile.Lock) (*procedure.Migration, error) {
	procedure, err := rke.New(ctx, deps, options)
	for said := false; err != nil && retry.Transient(err) && lock.Busy(); said = true {
		if !said {
			lock.Say("the API server is away, and an rke still works on this cluster.yml; waiting for it")
		}
		if err := retry.Pause(ctx, deps.Clock, time.Second); err != nil {
			return nil, err
		}
		procedure, err = rke.New(ctx, deps, options)
	}
	return procedure, err
}

// again are the words that name this target in a next command.
func (f *RKE) again() Words {
	var words []string
	for _, flag := range []struct{ name, value string }{
		{"--config", f.Config}, {"--cluster", f.cluster}, {"--downstream-kubeconfig", f.downstreamKubeconfig}, {"--kubeconfig", f.kubeconfig}, {"--context", f.kubeContext}, {"--rke-binary", f.binary},
	} {
		if flag.value != "" {
			words = append(words, flag.name, flag.value)
		}
	}
	for _, arg := range f.args {
		words = append(words, "--rke-arg", arg)
	}
	return Words{Command: "rke", Args: words}
}

// rkeOutput shows rke's own lines apart from ours.
type rkeOutput struct {
	out interface{ Write([]byte) (int, error) }
}

// Write implements io.Writer; it is given whole lines.
func (o rkeOutput) Write(line []byte) (int, error) {
	if _, err := o.out.Write(append([]byte("rke │ "), line...)); err != nil {
		return 0, err
	}
	return len(line), nil
}
