package target

import (
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
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
	f.RegisterUndo(flags)
	f.migration.registerForward(flags)
}

// RegisterUndo adds those that an undo takes.
func (f *RKE) RegisterUndo(flags *pflag.FlagSet) {
	f.set = flags
	flags.StringVar(&f.Config, "config", os.Getenv("RKE_CONFIG"), "cluster.yml (default: $RKE_CONFIG); this or --cluster")
	flags.StringVar(&f.cluster, "cluster", "", "RKE cluster that Rancher manages: its id (c-xxxxx) or its name")
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster (default: kube_config_<file> beside cluster.yml); with --cluster: of the cluster Rancher runs in (default: $KUBECONFIG, then ~/.kube/config)")
	flags.StringVar(&f.downstreamKubeconfig, "downstream-kubeconfig", "", "with --cluster: kubeconfig of the cluster to migrate (default: through Rancher)")
	flags.StringVar(&f.kubeContext, "context", "", "context of --kubeconfig (default: its current one)")
	flags.DurationVar(&f.requestTimeout, "request-timeout", 30*time.Second, "longest time for one API request")
	flags.StringVar(&f.binary, "rke-binary", "", "rke binary (default: rke in PATH)")
	flags.StringArrayVar(&f.args, "rke-arg", nil, "argument for every rke up, such as --ssh-agent-auth (repeatable)")
	flags.BoolVar(&f.noUp, "no-rke-up", false, "stop after each edit and let a person run rke up")
	flags.BoolVar(&f.includePending, "include-pending", false, "apply other changes of cluster.yml, too")
	f.migration.registerChecks(flags)
	f.migration.installMethod = string(migration.InstallHelm)
}

// Asked implements Flags.
func (f *RKE) Asked(out Output) (Asked, error) {
	options, err := f.options(out)
	return Asked{Target: f.target(), Words: f.again().by(out.Program), Options: options}, err
}

// Offline is what a look at cluster.yml alone takes.
func (f *RKE) Offline(out Output) (rke.Options, error) {
	options, err := f.options(out)
	if err != nil {
		return rke.Options{}, err
	}
	of := options.OfRKE(f.target())
	return of, of.Validate()
}

func (f *RKE) options(out Output) (session.Options, error) {
	if f.cluster != "" && !f.set.Changed("config") {
		f.Config = "" // of the environment
	}
	choices, err := f.migration.options()
	return session.Options{Actor: Actor(), Live: out.Err, Choices: session.Choices{Options: choices, RKE: session.RKEChoices{
		Binary: f.binary, Args: f.args, NoUp: f.noUp, IncludePending: f.includePending}}}, err
}

// target is a cluster by its cluster.yml, or one in Rancher where one is named. Both at
// once are refused by whoever opens it.
func (f *RKE) target() session.Target {
	t := session.Target{Kind: session.ClusterFile, File: f.Config, Name: f.cluster, RequestTimeout: f.requestTimeout}
	if f.cluster == "" {
		t.Server = kubeconfig(f.kubeconfigPath(), f.kubeContext)
		return t
	}
	t.Kind, t.Server, t.Downstream = session.RKE, kubeconfig(f.kubeconfig, f.kubeContext), named(f.downstreamKubeconfig)
	return t
}

// kubeconfigPath is rke's own beside the file, never the current context: that
// may be another cluster's.
func (f *RKE) kubeconfigPath() string {
	if f.kubeconfig != "" {
		return f.kubeconfig
	}
	return filepath.Join(filepath.Dir(f.Config), "kube_config_"+filepath.Base(f.Config))
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
