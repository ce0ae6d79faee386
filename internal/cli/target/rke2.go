package target

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
)

// RKE2 are the flags that every rke2 command has.
type RKE2 struct {
	target    reachFlags
	migration migrationFlags
	endState  string
}

// reachFlags say which cluster, and how to reach it.
type reachFlags struct {
	kubeconfig, kubeContext string
	downstreamKubeconfig    string
	cluster, namespace      string
	requestTimeout          time.Duration
}

// defaultNamespace is where Rancher keeps the clusters that its UI makes.
const defaultNamespace = "fleet-default"

func (t *reachFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&t.cluster, "cluster", "", "name of Rancher's Cluster object (required)")
	flags.StringVarP(&t.namespace, "namespace", "n", defaultNamespace, "namespace of Rancher's Cluster object")
	flags.StringVar(&t.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster Rancher runs in (default: $KUBECONFIG, then ~/.kube/config)")
	flags.StringVar(&t.kubeContext, "context", "", "context of --kubeconfig (default: its current one)")
	flags.StringVar(&t.downstreamKubeconfig, "downstream-kubeconfig", "", "kubeconfig of the cluster to migrate (default: through Rancher)")
	flags.DurationVar(&t.requestTimeout, "request-timeout", 30*time.Second, "longest time for one API request")
}

// rke2 is the cluster as one that Rancher provisions.
func (t *reachFlags) rke2() session.Target {
	return session.Target{Kind: session.RKE2, Namespace: t.namespace, Name: t.cluster, RequestTimeout: t.requestTimeout,
		Server: kubeconfig(t.kubeconfig, t.kubeContext), Downstream: named(t.downstreamKubeconfig)}
}

// Register adds the flags.
func (f *RKE2) Register(flags *pflag.FlagSet) {
	f.RegisterUndo(flags)
	f.migration.registerForward(flags)
}

// RegisterUndo adds those that an undo takes.
func (f *RKE2) RegisterUndo(flags *pflag.FlagSet) {
	f.target.register(flags)
	f.migration.registerChecks(flags)
	f.migration.etcdSnapshot = true
	flags.StringVar(&f.migration.edits, "edits", "", "apply|handoff: make every edit of Rancher's Cluster, or leave them to whoever keeps it, such as Terraform, and wait for the commit (default: the question before the first write asks; needed with --yes and --plan)")
	flags.StringVar(&f.endState, "end-state", "auto", "auto|external|overrides: how nodes get their provider after the switch")
	flags.StringVar(&f.migration.installMethod, "install-method", "helm", "helm|additional-manifest: how the CCM's chart is installed")
}

// Asked implements Flags.
func (f *RKE2) Asked(out Output) (Asked, error) {
	choices, err := f.migration.options()
	if err != nil {
		return Asked{}, err
	}
	return Asked{Target: f.target.rke2(), Unanswered: !f.migration.given("edits"), Words: f.target.again().by(out.Program), Options: session.Options{
		Choices: session.Choices{Options: choices, EndState: rke2checks.EndState(f.endState)}, Actor: Actor(), Live: out.Err}}, nil
}
